"""What the navigation of a project's annotator shows beyond its links."""

from __future__ import annotations

from typing import Any

from django import template

from annotator.annotations.questions import unread_for
from annotator.models import Membership, Project
from annotator.people.access import may_draw

register = template.Library()


@register.simple_tag(takes_context=True)
def own_membership(context: dict[str, Any], project: Project) -> Membership | None:
    """Return the signed-in user's active membership of a project, without a query if the page loaded it."""
    own: Membership | None = context.get("membership")
    if own is None:
        user = context["request"].user.pk
        own = Membership.objects.filter(project=project, user=user, is_active=True).first()
    return own


@register.simple_tag
def unread_answers(own: Membership | None, project: Project) -> int:
    """Return how many unread answers a member has in a project."""
    return unread_for(own, project) if own is not None else 0


@register.filter
def marks_faces(own: Membership | None) -> bool:
    """Return whether a member is an annotator who may mark the faces of a project's images."""
    return own is not None and own.role == Membership.Role.ANNOTATOR and may_draw(own)

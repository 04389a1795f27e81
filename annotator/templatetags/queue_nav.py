"""What the navigation of a project's annotator shows beyond its links."""

from __future__ import annotations

from typing import Any

from django import template

from annotator.annotations.questions import unread_for
from annotator.models import Membership, Project
from annotator.people.access import may_draw

register = template.Library()


@register.simple_tag(takes_context=True)
def own_nav(context: dict[str, Any], project: Project) -> dict[str, Any]:
    """Return the signed-in user's number of `unread` answers, and whether they may mark `faces`.

    Without a query for the membership if the page has loaded it.
    """
    user = context["request"].user.pk
    rows = Membership.objects.filter(project=project, user=user, is_active=True)
    own: Membership | None = context.get("membership") or rows.first()
    if own is None:
        return {}
    faces = own.role == Membership.Role.ANNOTATOR and may_draw(own)
    return {"unread": unread_for(own, project), "faces": faces}

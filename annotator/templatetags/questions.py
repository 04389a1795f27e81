"""The number of unread answers in an annotator's navigation."""

from __future__ import annotations

from typing import Any

from django import template

from annotator.annotations.questions import unread_for
from annotator.models import Membership, Project

register = template.Library()


@register.simple_tag(takes_context=True)
def unread_answers(context: dict[str, Any], project: Project) -> int:
    """Return how many unread answers the signed-in user has in a project."""
    own = context.get("membership")
    if own is None:
        user = context["request"].user.pk
        own = Membership.objects.filter(project=project, user=user, is_active=True).first()
    return unread_for(own, project) if own is not None else 0

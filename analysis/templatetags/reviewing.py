"""The number next to “Review” in the navigation of a project's leads."""

from __future__ import annotations

from typing import Any

from django import template

from analysis.home.reviewing import at_most, waiting_for_review
from annotator.models import Project

register = template.Library()


@register.simple_tag(takes_context=True)
def waiting(context: dict[str, Any], project: Project) -> str:
    """Return how much waits for a decision, “999+” at most, counted once a page; empty if nothing does."""
    if "review_count" not in context:
        # At the bottom of the stack: the navigation is drawn twice.
        context.dicts[0]["review_count"] = waiting_for_review(project)  # type: ignore[attr-defined]
    count = context["review_count"]
    return at_most(count) if count else ""

"""What the form for many invitations needs, so that any page of a lead can include it."""

from __future__ import annotations

from typing import Any

from django import template

from annotator.models import Project
from annotator.people.invitations import DAYS, MOST_DAYS
from annotator.people.inviting_many import MOST_LINES
from annotator.people.secrets import new_secret, offer_secret

register = template.Library()


@register.filter
def is_address(code: str) -> bool:
    """Tell whether a completion code is the address of a page, and can be linked."""
    return code.startswith("https://")


@register.simple_tag(takes_context=True)
def invite_form(context: dict[str, Any], project: Project) -> dict[str, Any]:
    """Return the limits of the form, and a signed secret for its links."""
    return {
        "offer": offer_secret(new_secret(), project.slug, context["request"].user),
        "days": DAYS,
        "most_days": MOST_DAYS,
        "most_lines": MOST_LINES,
    }

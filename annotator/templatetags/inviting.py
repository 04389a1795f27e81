"""What the form for many invitations needs, so that any page of a lead can include it."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from django import template

from annotator.people.inviting_many import MOST_LINES

register = template.Library()


@register.filter
def is_address(code: str) -> bool:
    """Tell whether a completion code is the address of a page, and can be linked."""
    return code.startswith("https://")


@register.simple_tag
def invite_form() -> dict[str, Any]:
    """Return the limits of the form, and an idempotency key, from which its links are made."""
    return {
        "key": uuid4(),
        "most_lines": MOST_LINES,
    }

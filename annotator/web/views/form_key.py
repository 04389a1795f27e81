"""The key that a page puts into its forms, so that one sent twice is one request."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from django.http import HttpRequest, HttpResponseBadRequest

INCOMPLETE: Final = "The form is incomplete; open the page anew."


def key_of_form(request: HttpRequest) -> UUID | None:
    """Return the key that a form was sent with; None where it has none that can be read."""
    try:
        return UUID(request.POST.get("request_key", ""))
    except ValueError:
        return None


def incomplete_form() -> HttpResponseBadRequest:
    """Refuse a form that came without its key."""
    return HttpResponseBadRequest(INCOMPLETE, content_type="text/plain")

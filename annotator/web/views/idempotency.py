"""The idempotency key in a page's forms, which makes a repeated submission one request."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from django.http import HttpRequest, HttpResponseBadRequest

INCOMPLETE: Final = "The form is incomplete. Reload the page."


def key_of_form(request: HttpRequest) -> UUID | None:
    """Return the idempotency key of a form; None if it is missing or invalid."""
    try:
        return UUID(request.POST.get("request_key", ""))
    except ValueError:
        return None


def incomplete_form() -> HttpResponseBadRequest:
    """Refuse a form without an idempotency key."""
    return HttpResponseBadRequest(INCOMPLETE, content_type="text/plain")

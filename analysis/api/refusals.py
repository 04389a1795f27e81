"""One shape for everything that goes wrong: `{"error": {"code", "message", "fields"}}`, whatever it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.http import HttpRequest, HttpResponse, JsonResponse
from pydantic import BaseModel, Field

from annotator.annotations.changes import (
    AlreadySubmitted,
    BatchClosed,
    Conflict,
    Deleted,
    KeyReused,
    NotSubmitted,
    StaleVersion,
    Withdrawn,
)
from annotator.web.views import refusals as pages

ROOT: Final = "/api/v1/"

Fields = Mapping[str, Sequence[str]]


class Refused(Exception):
    """A request that is answered with an error; `message` is for people, `code` for programs."""

    def __init__(
        self, status: int, code: str, message: str, fields: Fields | None = None, **headers: str
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.fields = fields or {}
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


class Invalid(Refused):
    """What was sent could be read and cannot be taken."""

    def __init__(self, fields: Fields, message: str = "What was sent cannot be taken: see fields.") -> None:
        super().__init__(422, "invalid", message, fields)


class Missing(Refused):
    """Something that is not there, where the person may know why."""

    def __init__(self, message: str) -> None:
        super().__init__(404, "not_found", message)


class ErrorFacts(BaseModel):
    """What went wrong."""

    code: str = Field(description="What programs go by.", examples=["not_found"])
    message: str = Field(description="What people read.", examples=["There is nothing here for you."])
    fields: dict[str, list[str]] = Field(
        description="What is wrong with which field; the empty name stands for the whole."
    )


class Error(BaseModel):
    """The answer to every request that was refused."""

    error: ErrorFacts


class StoredAnswer(BaseModel):
    """The answer as it is stored: what a refused change has to be compared with."""

    version: int = Field(description="The version to name in the next change; 0 where nothing is stored.")
    status: str
    payload: dict[str, Any]
    saved_at: str | None


class ConflictError(Error):
    """A change that was not made, and what is stored instead."""

    current: StoredAnswer | None = None


TOLD: Final[Mapping[int, tuple[str, str]]] = {
    400: ("malformed", "The request could not be read."),
    401: (
        "unauthorized",
        "A token is needed that is known, neither expired nor revoked: see /settings/tokens/.",
    ),
    403: ("forbidden", "This is not allowed."),
    404: ("not_found", "There is nothing here for you."),
    405: ("method_not_allowed", "This address does not take this method."),
    409: ("conflict", "This does not fit what is stored."),
    413: ("too_large", "This is too large."),
    415: ("unsupported_media_type", "The body must be application/json."),
    422: ("invalid", "What was sent cannot be taken: see fields."),
    429: ("too_many_requests", "Too many requests: wait a little."),
    500: ("server_error", "Something went wrong here. It is noted, and not your fault."),
    503: ("unavailable", "The database does not answer just now: try again in a few seconds."),
}
CONFLICTS: Final[Mapping[type[Conflict], tuple[str, str]]] = {
    StaleVersion: ("stale", "The answer has changed since the version that was named. Nothing was stored."),
    AlreadySubmitted: ("submitted", "The answer is submitted; it must be reopened before it can change."),
    NotSubmitted: ("not_submitted", "Only a submitted answer can be reopened."),
    KeyReused: ("key_reused", "This request_key belongs to an earlier, different request."),
    BatchClosed: ("closed", "The batch is closed; its answers stay as they are."),
    Withdrawn: ("withdrawn", "The image was given to somebody else; what was begun is kept."),
    Deleted: ("deleted", "The image or its project is being deleted; what was stored is kept until then."),
}


def refusal(
    status: int,
    *,
    code: str = "",
    message: str = "",
    fields: Fields | None = None,
    headers: Mapping[str, str] | None = None,
    **facts: Any,
) -> JsonResponse:
    """Return the answer to a refused request; code and message follow the status unless they are given."""
    known = TOLD.get(status, TOLD[500])
    error = {
        "code": code or known[0],
        "message": message or known[1],
        "fields": {name: list(texts) for name, texts in (fields or {}).items()},
    }
    return JsonResponse({"error": error, **facts}, status=status, headers=headers)


def conflict_refusal(conflict: Conflict) -> JsonResponse:
    """Return the answer to a change that was not made, with what is stored."""
    current = conflict.current
    stored = {
        "version": current.version,
        "status": current.status,
        "payload": current.payload,
        "saved_at": current.saved_at.isoformat() if current.saved_at else None,
    }
    code, message = CONFLICTS[type(conflict)]
    return refusal(409, code=code, message=message, current=stored)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Refuse what Django would not read: in our shape below the API, like a page elsewhere."""
    return refusal(400) if request.path.startswith(ROOT) else pages.bad_request(request, exception)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Say that there is nothing: in our shape below the API, like a page elsewhere."""
    return refusal(404) if request.path.startswith(ROOT) else pages.not_found(request, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    """Say that it is our fault: in our shape below the API, like a page elsewhere."""
    return refusal(500) if request.path.startswith(ROOT) else pages.server_error(request)

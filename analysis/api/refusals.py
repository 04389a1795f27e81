"""One shape for all errors: `{"error": {"code", "message", "fields"}}`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.http import HttpRequest, HttpResponse, JsonResponse
from pydantic import BaseModel, Field

from annotator.annotations.versioned_changes import Conflict
from annotator.web.views import refusals as pages

ROOT: Final = "/api/v1/"

Fields = Mapping[str, Sequence[str]]


class ApiRefused(Exception):
    """A refused request; `message` is for people, `code` for programs."""

    def __init__(
        self, status: int, code: str, message: str, fields: Fields | None = None, **headers: str
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.fields = fields or {}
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


class Invalid(ApiRefused):
    """A request that is readable but invalid."""

    def __init__(self, fields: Fields, message: str = "The request is invalid. See fields.") -> None:
        super().__init__(422, "invalid", message, fields)


class Missing(ApiRefused):
    """A missing resource whose reason the caller may know."""

    def __init__(self, message: str) -> None:
        super().__init__(404, "not_found", message)


class ErrorFacts(BaseModel):
    """An error."""

    code: str = Field(description="A stable code, for programs.", examples=["not_found"])
    message: str = Field(description="The reason, for people.", examples=["There is nothing here for you."])
    fields: dict[str, list[str]] = Field(
        description="Messages by field; the empty name stands for the whole request."
    )


class Error(BaseModel):
    """The response to a refused request."""

    error: ErrorFacts


class StoredAnswer(BaseModel):
    """The stored annotation, to compare with a refused change."""

    version: int = Field(description="The version to name in the next change; 0 if none is stored.")
    status: str
    payload: dict[str, Any]
    saved_at: str | None


class ConflictError(Error):
    """A refused change, with the stored annotation."""

    current: StoredAnswer | None = None


TOLD: Final[Mapping[int, tuple[str, str]]] = {
    400: ("malformed", "The request could not be read."),
    401: (
        "unauthorized",
        "A valid API token is required, neither expired nor revoked. Create one at /settings/tokens/.",
    ),
    403: ("forbidden", "You do not have permission to do this."),
    404: ("not_found", "There is nothing here for you."),
    405: ("method_not_allowed", "This URL does not support this method."),
    409: ("conflict", "The request conflicts with the stored data."),
    413: ("too_large", "The request is too large."),
    415: ("unsupported_media_type", "The body must be application/json."),
    422: ("invalid", "The request is invalid. See fields."),
    429: ("too_many_requests", "Too many requests. Wait a moment and try again."),
    500: ("server_error", "Internal server error. It has been logged."),
    503: ("unavailable", "The database is not responding. Try again in a few seconds."),
}
CONFLICTS: Final[Mapping[str, str]] = {
    "stale": "The annotation has changed since this version. Nothing was saved.",
    "submitted": "The annotation is submitted. Reopen it to change it.",
    "not_submitted": "Only a submitted annotation can be reopened.",
    "key_reused": "This request_key was used for a different request.",
    "closed": "The batch is closed. Its annotations are locked.",
    "withdrawn": "The image was reassigned. Your draft is kept.",
    "deleted": "The image or its project is being deleted. Its data is kept until the purge.",
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
    """Return the response to a refused request; code and message default to those of the status."""
    known = TOLD.get(status, TOLD[500])
    error = {
        "code": code or known[0],
        "message": message or known[1],
        "fields": {name: list(texts) for name, texts in (fields or {}).items()},
    }
    return JsonResponse({"error": error, **facts}, status=status, headers=headers)


def conflict_refusal(conflict: Conflict) -> JsonResponse:
    """Return the response to a refused change, with the stored annotation."""
    return refusal(409, code=conflict.code, message=CONFLICTS[conflict.code], current=conflict.as_json())


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer 400: JSON below the API, a page elsewhere."""
    return refusal(400) if request.path.startswith(ROOT) else pages.bad_request(request, exception)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer 404: JSON below the API, a page elsewhere."""
    return refusal(404) if request.path.startswith(ROOT) else pages.not_found(request, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer 500: JSON below the API, a page elsewhere."""
    return refusal(500) if request.path.startswith(ROOT) else pages.server_error(request)

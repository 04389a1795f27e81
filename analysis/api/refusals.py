"""One shape for all errors: `{"error": {"code", "message", "fields"}}`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from django.http import HttpRequest, HttpResponse, JsonResponse
from pydantic import BaseModel, Field

from annotator.web.views import refusals as pages

ROOT: Final = "/api/v1/"

Fields = Mapping[str, Sequence[str]]


class ApiRefused(Exception):
    """A refused request; `message` is for people, `code` for programs."""

    def __init__(self, status: int, code: str, message: str, fields: Fields | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.fields = fields or {}


class Invalid(ApiRefused):
    """A request that is readable but invalid."""

    def __init__(self, fields: Fields) -> None:
        super().__init__(422, "invalid", TOLD[422][1], fields)


class Missing(ApiRefused):
    """A missing resource whose reason the caller may know."""

    def __init__(self, message: str) -> None:
        super().__init__(404, "not_found", message)


class ErrorFacts(BaseModel):
    """An error."""

    code: str = Field(description="A stable code, for programs.", examples=["not_found"])
    message: str = Field(description="The reason, for people.", examples=["There is nothing here for you."])
    fields: dict[str, list[str]] = Field(description="Messages by parameter.")


class Error(BaseModel):
    """The response to a refused request."""

    error: ErrorFacts


REFUSALS: Final[dict[Any, type[Error]]] = {frozenset({400, 401, 404, 405, 422, 500, 503}): Error}
"""The refusals of every operation, for the OpenAPI document."""

TOLD: Final[Mapping[int, tuple[str, str]]] = {
    400: ("malformed", "The request could not be read."),
    401: (
        "unauthorized",
        "A valid API token is required, neither expired nor revoked. Create one at /settings/tokens/.",
    ),
    403: ("forbidden", "You do not have permission to do this."),
    404: ("not_found", "There is nothing here for you."),
    405: ("method_not_allowed", "This address does not take this method: see Allow."),
    422: ("invalid", "The request is invalid. See fields."),
    500: ("server_error", "Internal server error. It has been logged."),
    503: ("unavailable", "The database is not responding. Try again in a few seconds."),
}


def refusal(
    status: int,
    *,
    code: str = "",
    message: str = "",
    fields: Fields | None = None,
    headers: Mapping[str, str] | None = None,
) -> JsonResponse:
    """Return the response to a refused request; code and message default to those of the status."""
    known = TOLD.get(status, TOLD[500])
    error = {
        "code": code or known[0],
        "message": message or known[1],
        "fields": {name: list(texts) for name, texts in (fields or {}).items()},
    }
    return JsonResponse({"error": error}, status=status, headers=headers)


def _answered(status: int, page: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Return a handler of this status: JSON below the API, the page elsewhere."""

    def answer(request: HttpRequest, *args: Any, **named: Any) -> HttpResponse:
        below = request.path.startswith(ROOT)
        return refusal(status) if below else page(request, *args, **named)

    return answer


bad_request = _answered(400, pages.bad_request)
not_found = _answered(404, pages.not_found)
server_error = _answered(500, pages.server_error)

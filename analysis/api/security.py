"""Authentication by the token in the header, and the body of a request: JSON of bounded size.

Browser sessions are not accepted, so no other site can act through a browser, and no cookie is read or
set.
"""

from __future__ import annotations

import json
from typing import Any, Final, NoReturn

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest
from django.http.request import UnreadablePostError
from ninja.parser import Parser
from ninja.security import HttpBearer

from analysis.api.refusals import ApiRefused
from annotator.models import ApiToken, User
from annotator.people.tokens import token_with
from annotator.web.views.json_endpoint import LARGEST_BODY, sends_json


def check_body(request: HttpRequest) -> None:
    """Raise Refused for a body that is too large, incomplete, or not declared as JSON."""
    length = request.META.get("CONTENT_LENGTH") or "0"
    if not length.isdecimal():
        raise ApiRefused(400, "malformed", "Content-Length is not a number.")
    if int(length) > LARGEST_BODY:
        raise _too_large()
    try:
        sent = request.body
    except RequestDataTooBig as error:
        raise _too_large() from error
    except UnreadablePostError as error:
        raise ApiRefused(400, "malformed", "The request body is incomplete.") from error
    if sent and not sends_json(request):
        raise ApiRefused(415, "unsupported_media_type", "The body must be application/json.")


class StrictParser(Parser):
    """Parse JSON as RFC 8259 defines it: UTF-8 and no NaN, which Python's own reader accepts."""

    def parse_body(self, request: HttpRequest) -> Any:
        """Return the parsed value; a ValueError or RecursionError becomes a 400."""
        return json.loads(request.body.decode(), parse_constant=_no_number)


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _too_large() -> ApiRefused:
    return ApiRefused(413, "too_large", f"The request body is limited to {LARGEST_BODY} bytes.")


SAFE: Final = ("GET", "HEAD", "OPTIONS")


class Token(HttpBearer):
    """`Authorization: Bearer anm_…`."""

    openapi_description = (
        "A personal API token, created at /settings/tokens/. It has its owner's permissions in all of their "
        "projects; with the scope “read” it cannot change data."
    )

    def authenticate(self, request: HttpRequest, token: str) -> ApiToken | None:
        """Return the token and set its owner as the request's user; raise Refused if it lacks the scope."""
        found = token_with(token)
        if found is None:
            return None
        if request.method not in SAFE and found.scope != ApiToken.Scope.READ_WRITE:
            raise ApiRefused(403, "read_only", "This token is read-only. Create one that may read and write.")
        check_body(request)
        request.user = found.user
        return found


def person(request: HttpRequest) -> User:
    """Return the owner of the token."""
    assert isinstance(request.user, User)  # no view is reached without a token
    return request.user

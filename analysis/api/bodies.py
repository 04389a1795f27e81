"""Read request bodies: JSON of bounded size, or a refusal."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest
from django.http.request import UnreadablePostError
from ninja.parser import Parser

from analysis.api.refusals import ApiRefused
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

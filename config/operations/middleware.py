"""Give every request an id, in the response and each log line."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable
from typing import Final

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from config.operations.log_lines import request_id

_GIVEN: Final = re.compile(r"[0-9a-f]{32}", re.ASCII)


class RequestMiddleware:
    """Runs first: takes the proxy's request id or makes one."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        given = request.headers.get("X-Request-ID", "")
        name = given if _GIVEN.fullmatch(given) else uuid.uuid4().hex
        token = request_id.set(name)
        try:
            response = self.get_response(request)
        finally:
            request_id.reset(token)
        response["X-Request-ID"] = name
        return response

"""Middleware for request ids, bodies, charsets, caching, security policy and media."""

from __future__ import annotations

import codecs
import contextlib
import logging
import re
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from django.conf import settings
from django.core.exceptions import BadRequest, MiddlewareNotUsed
from django.core.files.storage import default_storage
from django.http import FileResponse, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from django.shortcuts import render
from django.utils.cache import add_never_cache_headers
from django.utils.deprecation import MiddlewareMixin
from django.utils.http import parse_header_parameters

from annotator.images.storage import NOT_TO_BE_HAD, StoreUnavailable
from config.operations.log_lines import request_id
from scoring.service import UnknownProtocol, unknown_in_words

log = logging.getLogger(__name__)

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "manifest-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)


MOST_DRAINED: Final = 1024 * 1024 * 1024
"""Bytes of a body that are read and discarded at most: the proxy's limit."""

_PIECE: Final = 1024 * 1024

_GIVEN: Final = re.compile(r"[0-9a-f]{32}", re.ASCII)
_TEXTS: Final = frozenset({"application/json", "image/svg+xml"})


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


class UnreadBodyMiddleware(MiddlewareMixin):
    """Read the rest of a refused or unread body before the response is sent.

    Otherwise the connection would close while the client still sends, and the client or the proxy might see
    a reset instead of the response.
    """

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        left = 0 if hasattr(request, "_body") else MOST_DRAINED
        with contextlib.suppress(OSError):
            while left > 0 and (piece := request.read(_PIECE)):
                left -= len(piece)
        return response


def is_utf8(content_type: str) -> bool:
    """Return whether a Content-Type names UTF-8 or no charset."""
    try:
        named = parse_header_parameters(content_type)[1].get("charset", "utf-8")
        return codecs.lookup(named).name == "utf-8"
    except (LookupError, ValueError):
        return False


class Utf8Middleware(MiddlewareMixin):
    """Refuse a request that names a charset other than UTF-8.

    Django would decode query and form with any Python codec: some produce lone surrogates, some take
    quadratic time, some do not decode text.
    """

    def process_request(self, request: HttpRequest) -> None:
        if not is_utf8(request.META.get("CONTENT_TYPE", "")):
            raise BadRequest("The charset of a request must be UTF-8.")


class HeadersMiddleware(MiddlewareMixin):
    """Send one strict policy with every response, and forbid caching unless its view allows it."""

    def process_response(self, _request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        response.headers.setdefault("Content-Security-Policy", CONTENT_SECURITY_POLICY)
        # The object store sets the header of its files, and ours would override it.
        if not response.has_header("Cache-Control") and not response.has_header("X-Object-Address"):
            add_never_cache_headers(response)
        return response


class CompressingMiddleware(GZipMiddleware):
    """Compress pages and other texts, also behind a proxy, which does not compress them.

    Django pads them by a random length, so that sizes reveal no secret (BREACH). Streams and files stay as
    they are: exports are sent line by line, and images are compressed already.
    """

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        kind = response.get("Content-Type", "").partition(";")[0]
        if response.streaming or not (kind.startswith("text/") or kind in _TEXTS):
            return response
        compressed: HttpResponseBase = super().process_response(request, response)
        return compressed


class MediaByProxyMiddleware(MiddlewareMixin):
    """Let the proxy send the files that views allow, instead of a web process.

    Views return a FileResponse, with or without a proxy. For a file below MEDIA_ROOT, the response names its
    path instead, which the proxy accepts only from the app. For an object, it names a signed URL valid for a
    minute, which never leaves the proxy.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        if not settings.MEDIA_BY_PROXY:
            raise MiddlewareNotUsed
        super().__init__(get_response)

    def process_response(self, _request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if not isinstance(response, FileResponse) or response.status_code != 200:
            return response
        if settings.MEDIA_STORE:
            return _handed_over_object(response)
        name = _name_in_media(response)
        if name is None:
            return response
        handed = _emptied(response)
        handed["X-Accel-Redirect"] = f"/protected-media/{quote(name)}"
        return handed


class UnavailableMiddleware(MiddlewareMixin):
    """Return a readable error if the object store does not respond, or a row's protocol is unknown.

    A protocol is unknown to a site without somebody's own protocol.
    """

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """Return 503, so that clients retry."""
        if isinstance(error, StoreUnavailable):
            log.error("A file is unavailable: %s.", error.strerror)
            words = NOT_TO_BE_HAD
        elif isinstance(error, UnknownProtocol):
            log.error("A row's protocol is unknown: %s.", error)
            words = unknown_in_words(error)
        else:
            return None
        response = render(request, "503.html", {"words": words}, status=503)
        response["Retry-After"] = "10"
        response["Cache-Control"] = "no-store"
        return response


def _name_in_media(response: FileResponse) -> str | None:
    file = response.file_to_stream
    named = getattr(file, "name", None)
    if not isinstance(named, str):
        return None
    # A field's file is named as in the storage, an open one by its path on disk.
    path = Path(settings.MEDIA_ROOT, named).resolve()
    root = Path(settings.MEDIA_ROOT).resolve()
    return path.relative_to(root).as_posix() if path.is_relative_to(root) and path.is_file() else None


def _handed_over_object(response: FileResponse) -> HttpResponseBase:
    name = getattr(response.file_to_stream, "name", None)
    if not isinstance(name, str) or name.startswith("/"):  # a local file
        return response
    handed = _emptied(response)
    # The store sets these for its objects; its other responses are not cached.
    said = {}
    for header in ("Content-Type", "Content-Disposition", "Cache-Control"):
        if header in handed:
            said[f"Response{header.replace('-', '')}"] = handed[header]
            del handed[header]
    store: Any = default_storage
    handed["X-Object-Address"] = store.url(name, parameters=said)
    handed["X-Accel-Redirect"] = "/protected-object"
    return handed


def _emptied(response: FileResponse) -> HttpResponse:
    if response.file_to_stream is not None:
        response.file_to_stream.close()
    handed = HttpResponse(headers=dict(response.headers.items()))
    handed.cookies = response.cookies
    del handed["Content-Length"]  # the proxy says how long the file is
    return handed

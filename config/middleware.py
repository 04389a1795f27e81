"""What Django 5.2 has no setting for: bodies and charsets at the edge, what browsers may keep, media."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from django.conf import settings
from django.core.exceptions import BadRequest, MiddlewareNotUsed
from django.core.files.storage import default_storage
from django.http import FileResponse, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.cache import add_never_cache_headers

from annotator.images.storage import NOT_TO_BE_HAD, StoreUnavailable
from config.charsets import is_utf8

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
"""Bytes of a body that are read and thrown away at most: what the proxy lets through."""

_PIECE: Final = 1024 * 1024


class UnreadBodyMiddleware:
    """Read what is left of a body that was refused or not asked for, before the answer goes out.

    A connection that is closed on somebody who still sends is broken off: they, or the proxy in between, may
    see that instead of the answer.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        left = 0 if hasattr(request, "_body") else MOST_DRAINED
        with contextlib.suppress(OSError):
            while left > 0 and (piece := request.read(_PIECE)):
                left -= len(piece)
        return response


class Utf8Middleware:
    """Refuse a request that claims another charset than UTF-8.

    Django would decode query and form with any codec that Python has: some make halves of surrogate pairs,
    some take quadratic time, some decode no text at all.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not is_utf8(request.META.get("CONTENT_TYPE", "")):
            raise BadRequest("The charset of a request must be UTF-8.")
        return self.get_response(request)


class KeptByNobodyMiddleware:
    """Let nobody keep an answer, unless its view has said how it may be kept."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        # Of what an object store hands out, the store says it: our header would stand before the store's.
        if not response.has_header("Cache-Control") and not response.has_header("X-Object-Address"):
            add_never_cache_headers(response)
        return response


class ContentSecurityPolicyMiddleware:
    """Send one strict policy with every answer: nothing inline, nothing from elsewhere."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Content-Security-Policy", CONTENT_SECURITY_POLICY)
        return response


class MediaByProxyMiddleware:
    """Let the proxy send the files that views have allowed, in place of a web process.

    A view answers with a FileResponse, as it does without a proxy. Where its file lies below MEDIA_ROOT, the
    answer names the place instead, which the proxy takes for nobody but the app. Of an object it names an
    address that is signed for a minute and does not get past the proxy.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        if not settings.MEDIA_BY_PROXY:
            raise MiddlewareNotUsed
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if not isinstance(response, FileResponse) or response.status_code != 200:
            return response
        if settings.MEDIA_STORE:
            return _handed_over_object(response)
        name = _name_in_media(response)
        return response if name is None else _handed_over(response, name)


class StoreUnavailableMiddleware:
    """Say in words that the object store does not answer, where a picture or a file is wanted from it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        if not settings.MEDIA_STORE:
            raise MiddlewareNotUsed
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """Answer 503: whoever asks again later may get it."""
        if not isinstance(error, StoreUnavailable):
            return None
        log.error("A file was not to be had: %s.", error.strerror)
        response = render(request, "503.html", {"words": NOT_TO_BE_HAD}, status=503)
        response["Retry-After"] = "10"
        response["Cache-Control"] = "no-store"
        return response


def _name_in_media(response: FileResponse) -> str | None:
    file = response.file_to_stream
    named = getattr(file, "name", None)
    if not isinstance(named, str):
        return None
    # A field's file is named as in the storage, an open one by its place on the disk.
    path = Path(settings.MEDIA_ROOT, named).resolve()
    root = Path(settings.MEDIA_ROOT).resolve()
    return path.relative_to(root).as_posix() if path.is_relative_to(root) and path.is_file() else None


def _handed_over(response: FileResponse, name: str) -> HttpResponse:
    handed = _emptied(response)
    handed["X-Accel-Redirect"] = f"/protected-media/{quote(name)}"
    return handed


def _handed_over_object(response: FileResponse) -> HttpResponseBase:
    name = getattr(response.file_to_stream, "name", None)
    if not isinstance(name, str) or name.startswith("/"):  # a file of this machine
        return response
    handed = _emptied(response)
    # The store says them, of an object that it has; what it answers otherwise is not kept by anybody.
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

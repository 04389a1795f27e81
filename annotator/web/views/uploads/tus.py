"""Resumable uploads (tus 1.0.0) from a lead's browser.

Errors are JSON, with `error` for the script and `message` for the lead. Bodies are streamed in chunks and
never held in memory, so Django's limits on request size do not apply. Extensions: creation,
creation-with-upload, termination, expiration. Others (concatenation, checksums, deferred length) are refused
by name instead of being ignored.
"""

from __future__ import annotations

import base64
import binascii
import logging
import re
import time
from collections import Counter
from collections.abc import Callable, Mapping
from functools import wraps
from threading import Lock
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.db import OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import resolve_url
from django.urls import reverse
from django.utils.http import http_date

from annotator.models import UploadedFile, User
from annotator.people.access import upload_as_lead, uploaded_file_as_lead
from annotator.uploads import receiving, refusals
from annotator.web.views.json_endpoint import refusal

VERSION: Final = "1.0.0"
EXTENSIONS: Final = "creation,creation-with-upload,termination,expiration"
BODY_TYPE: Final = "application/offset+octet-stream"
_NOT_SUPPORTED: Final = {
    "Upload-Concat": "concatenation",
    "Upload-Defer-Length": "creation-defer-length",
    "Upload-Checksum": "checksum",
}
# 18 digits exceed any disk; int() raises its own error for thousands of digits.
_WHOLE: Final = re.compile(r"[0-9]{1,18}")
_KEY: Final = re.compile(r"[!-+\--~]+")


class BadRequest(Exception):
    """A request that violates tus; `status` is the HTTP status, the message is for developers."""

    def __init__(self, words: str, status: int = 400, code: str = "malformed") -> None:
        super().__init__(words)
        self.status = status
        self.code = code


def method_of(request: HttpRequest) -> str:
    """Return the method, or the one that overrides a POST behind a restrictive proxy."""
    method = request.method or ""
    if method == "POST":
        return request.headers.get("X-HTTP-Method-Override", method).upper()
    return method


def check_version(request: HttpRequest) -> None:
    """Raise BadRequest unless the client uses the same version."""
    if request.headers.get("Tus-Resumable") != VERSION:
        raise BadRequest(f"Send Tus-Resumable: {VERSION}.", 412, "version")


def check_extensions(request: HttpRequest) -> None:
    """Raise BadRequest for headers of unsupported extensions."""
    for header, extension in _NOT_SUPPORTED.items():
        if header in request.headers:
            raise BadRequest(f"{header}: the extension {extension} is not supported.", code="not_supported")


def check_body_type(request: HttpRequest) -> None:
    """Raise BadRequest unless the content type is that of file bytes."""
    if request.content_type != BODY_TYPE:
        raise BadRequest(f"Send Content-Type: {BODY_TYPE}.", 415, "content_type")


def whole_header(request: HttpRequest, name: str) -> int:
    """Return a header that must be a whole number. Raises BadRequest."""
    text = request.headers.get(name, "")
    if not _WHOLE.fullmatch(text):
        raise BadRequest(f"{name} must be a whole number.")
    return int(text)


def body_length(request: HttpRequest) -> int:
    """Return the announced length of the body in bytes. Raises BadRequest if it is missing."""
    if not request.headers.get("Content-Length"):
        raise BadRequest("Send Content-Length.", 411, "length_required")
    return whole_header(request, "Content-Length")


def file_name(request: HttpRequest) -> str:
    """Return the name in the metadata. Raises BadRequest if it is missing or not text."""
    encoded = _metadata(request).get("filename")
    if not encoded:
        raise BadRequest("Upload-Metadata must have filename, in base64.")
    try:
        return base64.b64decode(encoded, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError) as error:
        raise BadRequest("filename in Upload-Metadata must be base64 of UTF-8.") from error


def name_as_metadata(name: str) -> str:
    """Return the metadata header with a file's name."""
    return f"filename {base64.b64encode(name.encode()).decode()}"


def _metadata(request: HttpRequest) -> dict[str, str]:
    found: dict[str, str] = {}
    for pair in request.headers.get("Upload-Metadata", "").split(","):
        key, _, value = pair.strip().partition(" ")
        if key in found or (key and not _KEY.fullmatch(key)):
            raise BadRequest("Upload-Metadata must have unique keys of ASCII characters.")
        found[key] = value.strip()
    return found


SECONDS: Final = 60


class Rate:
    """Counts of all accounts in windows of one minute. Thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._window = -1
        self._counts: Counter[int] = Counter()

    def seconds_to_wait(self, person: int, most: int) -> int:
        """Count a request and return the seconds to wait, 0 if it is within the limit."""
        now = time.monotonic()
        with self._lock:
            if int(now // SECONDS) != self._window:
                self._window = int(now // SECONDS)
                self._counts.clear()
            self._counts[person] += 1
            taken = self._counts[person] <= most
        return 0 if taken else max(1, SECONDS - int(now % SECONDS))


TusView = Callable[..., HttpResponse]

_ANSWERS: Final[Mapping[type[refusals.UploadRefused], tuple[int, str]]] = {
    refusals.BadName: (400, "name"),
    refusals.BrokenOff: (400, "broken_off"),
    refusals.WrongLength: (400, "length"),
    refusals.OtherOffset: (409, "offset"),
    refusals.TakenName: (409, "taken"),
    refusals.UploadClosed: (410, "closed"),
    refusals.FileTooLarge: (413, "too_large"),
    refusals.TooMany: (413, "too_many"),
    refusals.NoRoom: (507, "no_room"),
}
_SIGNED_OUT: Final = "You are signed out. Uploaded parts are kept: sign in and resume."
_TOO_FAST: Final = "Too many requests within a minute. Uploaded parts are kept: wait, then resume."
_RATE: Final = Rate()
_LOG: Final = logging.getLogger(__name__)


def tus_endpoint(*methods: str) -> Callable[[TusView], TusView]:
    """Turn a function of (request, user, id) into a view that always answers in tus."""

    def decorate(view: TusView) -> TusView:
        @wraps(view)
        def answer(request: HttpRequest, public_id: UUID) -> HttpResponse:
            try:
                response = _answer(view, request, methods, public_id)
            except OperationalError:
                _LOG.exception("The database did not respond")
                response = refusal(503, "unavailable", headers={"Retry-After": "5"})
            response["Tus-Resumable"] = VERSION
            response["Cache-Control"] = "no-store"
            return response

        answer.answers_json = True  # type: ignore[attr-defined]
        return answer

    return decorate


@tus_endpoint("POST")
def upload_files(request: HttpRequest, user: User, public_id: UUID) -> HttpResponse:
    """Announce a file of an upload, or find it again; a body holds its first bytes."""
    upload = upload_as_lead(user, public_id)
    check_version(request)
    check_extensions(request)
    size = whole_header(request, "Upload-Length")
    file = receiving.place_file(upload=upload, name=file_name(request), size=size)
    there = receiving.offset_of(file)
    if request.content_type == BODY_TYPE and there == 0 < size:
        # Received bytes are kept: the client resumes from the offset.
        there = _append(request, file, 0)
    response = HttpResponse(status=201)
    response["Location"] = reverse("upload_file", args=[file.public_id])
    return _with_offset(response, file, there)


@tus_endpoint("HEAD", "PATCH", "DELETE")
def upload_file(request: HttpRequest, user: User, public_id: UUID) -> HttpResponse:
    """Return the offset of a file, append to it, or remove it."""
    file = uploaded_file_as_lead(user, public_id)
    check_version(request)
    method = method_of(request)
    if method == "DELETE":
        receiving.remove_file(file)
        return HttpResponse(status=204)
    if method == "PATCH":
        check_extensions(request)
        check_body_type(request)
        offset = whole_header(request, "Upload-Offset")
        return _with_offset(HttpResponse(status=204), file, _append(request, file, offset))
    response = _with_offset(HttpResponse(), file, receiving.offset_of(file))
    response["Upload-Length"] = str(file.size)
    response["Upload-Metadata"] = name_as_metadata(file.name)
    return response


def _append(request: HttpRequest, file: UploadedFile, offset: int) -> int:
    length = body_length(request)
    return receiving.append(file=file, offset=offset, stream=request, length=length)


def _with_offset(response: HttpResponse, file: UploadedFile, there: int) -> HttpResponse:
    response["Upload-Offset"] = str(there)
    response["Upload-Expires"] = http_date(receiving.kept_until(file.upload).timestamp())
    return response


def _answer(view: TusView, request: HttpRequest, methods: tuple[str, ...], public_id: UUID) -> HttpResponse:
    method = method_of(request)
    if method not in (*methods, "OPTIONS"):
        return refusal(405, "method_not_allowed", headers={"Allow": ", ".join((*methods, "OPTIONS"))})
    if not isinstance(request.user, User):
        return refusal(401, "signed_out", login_url=resolve_url(settings.LOGIN_URL), message=_SIGNED_OUT)
    wait = _RATE.seconds_to_wait(request.user.pk, settings.UPLOAD_REQUESTS_A_MINUTE)
    if wait:
        return refusal(429, "too_fast", headers={"Retry-After": str(wait)}, message=_TOO_FAST)
    try:
        if method == "OPTIONS":
            return _abilities(request.user, methods, public_id)
        return view(request, request.user, public_id)
    except Http404:
        return refusal(
            404, "not_found", message="This upload does not exist, or you no longer lead its project."
        )
    except BadRequest as error:
        headers = {"Tus-Version": VERSION} if error.status == 412 else None
        return refusal(error.status, error.code, headers=headers, message=str(error))
    except refusals.UploadRefused as error:
        return _refused(error)


def _abilities(user: User, methods: tuple[str, ...], public_id: UUID) -> HttpResponse:
    """Return the server's tus capabilities to authorised users."""
    load = upload_as_lead if "POST" in methods else uploaded_file_as_lead
    load(user, public_id)
    response = HttpResponse(status=204)
    response["Tus-Version"] = VERSION
    response["Tus-Extension"] = EXTENSIONS
    response["Tus-Max-Size"] = str(settings.MAX_UPLOAD_BYTES)
    return response


def _refused(error: refusals.UploadRefused) -> HttpResponse:
    status, code = _ANSWERS[type(error)]
    headers: dict[str, str] = {}
    facts: dict[str, Any] = {}
    if isinstance(error, refusals.OtherOffset):
        headers["Upload-Offset"] = str(error.there)
        facts["offset"] = error.there
    if isinstance(error, refusals.FileTooLarge):
        headers["Tus-Max-Size"] = str(settings.MAX_UPLOAD_BYTES)
    return refusal(status, code, headers=headers, message=str(error), **facts)

"""The requests of a script that sends files: which are known, and one request for each of the others.

A body is written to the disk while it arrives, and becomes a file of the upload once it is complete.
"""

from __future__ import annotations

import logging
from contextlib import closing
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.core.files.uploadhandler import FileUploadHandler, TemporaryFileUploadHandler
from django.db import OperationalError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.http.multipartparser import MultiPartParserError
from django.http.request import UnreadablePostError
from django.views.decorators.csrf import csrf_exempt, csrf_protect

from annotator.models import Upload, User
from annotator.people.access import upload_as_lead
from annotator.uploads.contents import ArrivingFile
from annotator.uploads.receiving import (
    UploadRefused,
    digests_of,
    no_room,
    receive,
    require_allowed,
    require_open,
    require_room,
)
from annotator.web.views.json_endpoint import Facts, Malformed, body_of, json_endpoint, refusal

ASKED_AT_ONCE: Final = 200
_ENVELOPE: Final = 64 * 1024
"""Bytes of a request around the file."""
_STATUSES: Final = {
    "malformed": 400,
    "bad_name": 400,
    "broken_off": 400,
    "taken": 409,
    "busy": 409,
    "closed": 410,
    "too_large": 413,
    "too_many": 413,
    "no_room": 507,
}
_SIGNED_OUT: Final = "You are signed out. Uploaded files are kept: sign in and resume."
_NOT_FOUND: Final = "This upload does not exist, or you no longer lead its project."
_BROKEN_OFF: Final = "The connection was interrupted. Send the file again."
_LOG: Final = logging.getLogger(__name__)


def refused(error: UploadRefused) -> HttpResponse:
    """Return the refusal of a file, or of the whole upload, for a script."""
    return refusal(_STATUSES.get(error.code, 422), error.code, message=str(error))


@json_endpoint("POST")
def upload_known(request: HttpRequest, user: User, public_id: UUID) -> Facts:
    """Answer for each [name, size] the SHA-256 of the file that is here, why it is refused, or neither."""
    upload = upload_as_lead(user, public_id)
    files = _names_in(body_of(request, ["files"]))
    answers: list[Facts] = [{"sha256": sha256} if sha256 else {} for sha256 in digests_of(upload, files)]
    for answer, (name, size) in zip(answers, files, strict=True):
        try:
            require_allowed(name, size)
        except UploadRefused as error:
            answer["refused"] = str(error)
    return {"files": answers}


def _upload_files(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """Receive one file: a multipart form with its `name`, its `size` and, as `file`, its bytes."""
    if request.method != "POST":
        return refusal(405, "method_not_allowed", headers={"Allow": "POST"})
    if not isinstance(request.user, User):
        return refusal(401, "signed_out", message=_SIGNED_OUT)
    try:
        upload = upload_as_lead(request.user, public_id)
        # Before the body is read: what cannot be kept is not sent in vain.
        _require_acceptable(request, upload)
        with closing(Incoming(request, upload)) as handler:
            request.upload_handlers = [handler]
            return _received(request, upload)
    except Http404:
        return refusal(404, "not_found", message=_NOT_FOUND)
    except UploadRefused as error:
        return refused(error)
    except UnreadablePostError:
        return refusal(400, "broken_off", message=_BROKEN_OFF)
    except MultiPartParserError as error:
        return refusal(400, "malformed", message=str(error))
    except OSError as error:
        return refused(no_room(error))
    except OperationalError:
        _LOG.exception("The database did not respond")
        return refusal(503, "unavailable", headers={"Retry-After": "5"})


_upload_files.answers_json = True  # type: ignore[attr-defined]
# The token is checked in `_received`, with the handler that takes the body.
upload_files = csrf_exempt(_upload_files)


@csrf_protect
def _received(request: HttpRequest, upload: Upload) -> HttpResponse:
    sent = [file for _, files in request.FILES.lists() for file in files]
    if len(sent) > 1 or "file" in request.POST:
        raise UploadRefused("Send the bytes of one file as “file”.", "malformed")
    if not sent or str(sent[0].size) != request.POST.get("size", ""):
        # A file that changed on its way, or whose request a proxy cut short.
        raise UploadRefused(_BROKEN_OFF, "broken_off")
    file = receive(upload=upload, name=request.POST.get("name", ""), file=sent[0])
    return JsonResponse({"sha256": file.sha256}, headers={"Cache-Control": "no-store"})


class Incoming(TemporaryFileUploadHandler):
    """Django's handler, for a file on the disk of its upload."""

    file: Any = None

    def __init__(self, request: HttpRequest, upload: Upload) -> None:
        super().__init__(request)
        self._upload = upload

    def new_file(self, *args: Any, **named: Any) -> None:
        """Open the file."""
        FileUploadHandler.new_file(self, *args, **named)
        self.file = ArrivingFile(self._upload.public_id)

    def close(self) -> None:
        """Remove what was written, unless it was kept."""
        if self.file is not None:
            self.file.close()


def _require_acceptable(request: HttpRequest, upload: Upload) -> None:
    length = int(request.META.get("CONTENT_LENGTH") or 0)
    if length > settings.MAX_UPLOAD_BYTES + _ENVELOPE:
        raise UploadRefused(f"The limit is {settings.MAX_UPLOAD_BYTES:,} bytes.", "too_large")
    require_open(upload)
    require_room(length)


def _names_in(sent: Facts) -> list[tuple[str, int]]:
    files = sent.get("files")
    if not isinstance(files, list) or len(files) > ASKED_AT_ONCE:
        raise Malformed(f"files must be a list of at most {ASKED_AT_ONCE} names with sizes.")
    for file in files:
        if not (isinstance(file, list) and [type(part) for part in file] == [str, int]):
            raise Malformed("Each of files must be [name, size].")
    return [(name, size) for name, size in files]

"""Headers of tus 1.0.0, the protocol of resumable uploads.

Extensions: creation, creation-with-upload, termination, expiration. Others (concatenation, checksums,
deferred length) are refused by name instead of being ignored.
"""

from __future__ import annotations

import base64
import binascii
import re
from typing import Final

from django.http import HttpRequest

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

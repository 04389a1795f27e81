"""Thumbnails of uploaded files, beside their bytes until the upload is stored or discarded."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Final
from uuid import uuid4

from annotator.models import UploadedFile
from annotator.uploads.bytes import place_of

_ENDING: Final = ".webp"

log = logging.getLogger(__name__)


def keep_thumbnail(file: UploadedFile, drawn: bytes) -> None:
    """Store a file's thumbnail. A full disk is only logged: the list is readable without it."""
    if not drawn:
        return
    path = _path_of(file)
    partial = path.with_name(f"{uuid4().hex}{_ENDING}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial.write_bytes(drawn)
        partial.replace(path)
    except OSError as error:
        log.warning("A thumbnail could not be stored: %s.", error.strerror or error)
        partial.unlink(missing_ok=True)


def thumbnail_of(file: UploadedFile) -> bytes | None:
    """Return the thumbnail of a file as WebP; None if there is none. Raises OSError of a failing disk."""
    try:
        return _path_of(file).read_bytes()
    except FileNotFoundError:
        return None


def _path_of(file: UploadedFile) -> Path:
    place = place_of(file.upload.public_id, file.public_id)
    return place.with_name(f"{place.name}{_ENDING}")

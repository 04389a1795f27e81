"""Write files atomically.

Django's file storage writes in place: a full disk or a killed process leaves a partial file under the final
name. Here a file is written under another name, synced and renamed. An object store publishes complete
objects.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
import uuid
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from django.conf import settings
from django.core.files.base import File
from django.core.files.storage import FileSystemStorage, default_storage

PARTIAL_FOLDER: Final = "partial"
NOT_TO_BE_HAD: Final = "The storage of images and files does not respond. Try again in a few seconds."
_ABANDONED_SECONDS: Final = 60 * 60
_IN_MEMORY_BYTES: Final = 16 * 1024 * 1024


class StoreUnavailable(OSError):
    """An object store that does not respond, or refuses; `strerror` is a readable message."""


def path_in_storage(name: str) -> Path | None:
    """Return the local path of a file in the default storage; None in an object store."""
    # The storage's proxy defeats isinstance(); path() distinguishes files from objects.
    try:
        return Path(default_storage.path(name))
    except NotImplementedError:
        return None


def save_whole(name: str, contents: bytes) -> None:
    """Store `contents` under `name` in the default storage, replacing an existing file.

    Raises OSError (disk full, no permission), leaving nothing under `name`.
    """
    target = path_in_storage(name)
    if target is None:
        save_object(name, [contents])
        return
    partial = Path(default_storage.path(f"{PARTIAL_FOLDER}/{uuid.uuid4().hex}"))
    try:
        _write(partial, contents)
        _make_folder(target.parent)
        partial.replace(target)
        _push_folder(target.parent)
    finally:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)


def remove_abandoned() -> int:
    """Remove partial files of killed processes after an hour; return how many."""
    folder, removed = path_in_storage(PARTIAL_FOLDER), 0
    for partial in folder.iterdir() if folder is not None and folder.is_dir() else ():
        with contextlib.suppress(FileNotFoundError):
            if partial.stat().st_mtime < time.time() - _ABANDONED_SECONDS:
                partial.unlink()
                removed += 1
    return removed


def save_object(name: str, pieces: Iterable[bytes]) -> None:
    """Store pieces as one object, replacing an existing one after the last piece.

    Raises OSError, and exceptions of the pieces, leaving `name` unchanged.
    """
    Path(settings.VAR_DIR).mkdir(parents=True, exist_ok=True)
    with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY_BYTES, dir=str(settings.VAR_DIR)) as file:
        file.writelines(pieces)
        file.seek(0)
        default_storage.save(name, File(file))


def _write(path: Path, contents: bytes) -> None:
    _make_folder(path.parent)
    with path.open("xb") as file:
        file.write(contents)
        file.flush()
        os.fsync(file.fileno())
    mode = getattr(default_storage, "file_permissions_mode", None)
    if mode is not None:
        path.chmod(mode)


def _make_folder(folder: Path) -> None:
    if folder.is_dir():
        return
    # Like FileSystemStorage, with its permissions.
    mode = FileSystemStorage().directory_permissions_mode
    folder.mkdir(parents=True, exist_ok=True)
    if mode is not None:
        folder.chmod(mode)


def _push_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

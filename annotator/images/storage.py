"""Files that appear under their name whole or not at all.

Django's file storage writes in place: a full disk or a killed process leaves half a picture under the
final name. Here a file is written under another name, pushed to the disk and renamed. An object store shows
an object once it is complete.
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
NOT_TO_BE_HAD: Final = "The store of images and files does not answer just now: try again in a few seconds."
_ABANDONED_SECONDS: Final = 60 * 60
_IN_MEMORY_BYTES: Final = 16 * 1024 * 1024


class StoreUnavailable(OSError):
    """An object store that does not answer, or refuses; `strerror` says so in words for people."""


def path_in_storage(name: str) -> Path | None:
    """Return where the default storage keeps a file on this machine's disk; None in an object store."""
    # The storage's own proxy hides its class from isinstance(); path() tells files from objects.
    try:
        return Path(default_storage.path(name))
    except NotImplementedError:
        return None


def save_whole(name: str, contents: bytes) -> None:
    """Store `contents` under `name` in the default storage, replacing what is there.

    Raises OSError (disk full, no permission) and leaves nothing under `name` then.
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
    """Remove half files that a killed process left behind an hour ago or more; returns how many."""
    folder, removed = path_in_storage(PARTIAL_FOLDER), 0
    for partial in folder.iterdir() if folder is not None and folder.is_dir() else ():
        with contextlib.suppress(FileNotFoundError):
            if partial.stat().st_mtime < time.time() - _ABANDONED_SECONDS:
                partial.unlink()
                removed += 1
    return removed


def save_object(name: str, pieces: Iterable[bytes]) -> None:
    """Store pieces as one object, replacing what is there, once the last one has come.

    Raises OSError, and whatever the pieces raise, with nothing changed under `name`.
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
    # As FileSystemStorage does it, with its permissions.
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

"""Files that appear under their name whole or not at all.

Django's file storage writes in place: a full disk or a killed process leaves half a picture under the
final name. Here a file is written under another name, pushed to the disk and renamed.
"""

from __future__ import annotations

import contextlib
import os
import time
import uuid
from pathlib import Path
from typing import Final

from django.core.files.base import ContentFile
from django.core.files.storage import FileSystemStorage, default_storage

PARTIAL_FOLDER: Final = "partial"
_ABANDONED_SECONDS: Final = 60 * 60


def save_whole(name: str, contents: bytes) -> None:
    """Store `contents` under `name` in the default storage, replacing what is there.

    Raises OSError (disk full, no permission) and leaves nothing under `name` then.
    """
    # The storage's own proxy hides its class from isinstance(); path() tells files from objects.
    try:
        target = Path(default_storage.path(name))
    except NotImplementedError:
        _save_object(name, contents)
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
    try:
        folder = Path(default_storage.path(PARTIAL_FOLDER))
    except NotImplementedError:
        return 0
    removed = 0
    for partial in folder.iterdir() if folder.is_dir() else ():
        with contextlib.suppress(FileNotFoundError):
            if partial.stat().st_mtime < time.time() - _ABANDONED_SECONDS:
                partial.unlink()
                removed += 1
    return removed


def _save_object(name: str, contents: bytes) -> None:
    # Object stores show an object when it is complete; they are only asked not to invent a second name.
    if not default_storage.exists(name):
        default_storage.save(name, ContentFile(contents))


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

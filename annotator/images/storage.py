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
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path
from typing import Final, Self

from django.conf import settings
from django.core.files.base import File
from django.core.files.storage import FileSystemStorage, default_storage

PARTIAL_FOLDER: Final = "partial"
NOT_TO_BE_HAD: Final = "The storage of images and files does not respond. Try again in a few seconds."
_ABANDONED_SECONDS: Final = 60 * 60
_SYNCED_AT_ONCE: Final = 16
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
    with FilesTogether() as files:
        files.save(name, contents)


class FilesTogether:
    """Store several files, each atomically, when the block ends: all are written before any is synced.

    Only then have they their names, and survive a power cut: store rows that name them after the block, which
    raises OSError if a file cannot be synced. Thread-safe.
    """

    def __init__(self) -> None:
        self._written: list[tuple[Path, Path]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                # A disk takes many requests in the time of one.
                with ThreadPoolExecutor(_SYNCED_AT_ONCE) as threads:
                    folders = chain.from_iterable(threads.map(_put_in_place, self._written))
                    list(threads.map(_sync, set(folders)))
        finally:
            for written in self._written:
                _remove(written[0])

    def save(self, name: str, contents: bytes) -> None:
        """Write a file that gets its name when the block ends. Raises OSError, leaving nothing of it."""
        target = path_in_storage(name)
        if target is None:
            save_object(name, [contents])
            return
        partial = Path(default_storage.path(f"{PARTIAL_FOLDER}/{uuid.uuid4().hex}"))
        try:
            _write(partial, contents)
        except BaseException:
            _remove(partial)
            raise
        self._written.append((partial, target))


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
    mode = getattr(default_storage, "file_permissions_mode", None)
    if mode is not None:
        path.chmod(mode)


def _make_folder(folder: Path) -> list[Path]:
    """Create a folder if missing; return the folders to sync: itself, and those that got a new folder."""
    if folder.is_dir():
        return [folder]
    changed = [folder]
    while not changed[-1].parent.is_dir():
        changed.append(changed[-1].parent)
    changed.append(changed[-1].parent)
    # Like FileSystemStorage, with its permissions.
    mode = FileSystemStorage().directory_permissions_mode
    folder.mkdir(parents=True, exist_ok=True)
    if mode is not None:
        folder.chmod(mode)
    return changed


def _put_in_place(file: tuple[Path, Path]) -> list[Path]:
    """Have the disk take a file, and give it its name; return the folders to sync."""
    partial, target = file
    _sync(partial)
    changed = _make_folder(target.parent)
    partial.replace(target)
    return changed


def _sync(path: Path) -> None:
    """Have the disk take a file or a folder."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _remove(partial: Path) -> None:
    with contextlib.suppress(OSError):
        partial.unlink(missing_ok=True)

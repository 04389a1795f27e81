"""The storage folder of finished exports."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from datetime import timedelta
from typing import Final

from django.core.files.storage import default_storage
from django.utils import timezone

from analysis.exports.files import write_whole
from annotator.images.storage import path_in_storage, save_object

FOLDER: Final = "exports"


def store(name: str, pieces: Iterable[bytes]) -> int:
    """Write a file completely or not at all, replacing an earlier attempt; return its size.

    Raise OSError, or the error of the pieces, leaving nothing under the name.
    """
    target = path_in_storage(name)
    if target is None:
        save_object(name, pieces)
    else:
        target.parent.mkdir(parents=True, exist_ok=True)
        write_whole(pieces, target)
    return default_storage.size(name)


def remove_old(age: timedelta, folder: str = FOLDER) -> int:
    """Delete files of a folder older than `age`, including partial ones; return how many."""
    removed, before = 0, timezone.now() - age
    for name in _files(folder):
        with contextlib.suppress(FileNotFoundError):
            if default_storage.get_modified_time(name) < before:
                default_storage.delete(name)
                removed += 1
    return removed


def _files(folder: str) -> Iterator[str]:
    try:
        folders, files = default_storage.listdir(folder)
    except FileNotFoundError:
        return
    yield from (f"{folder}/{name}" for name in files)
    for inner in folders:
        yield from _files(f"{folder}/{inner}")

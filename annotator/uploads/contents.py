"""The bytes of uploaded files: below `receiving` in the storage of media, so that every machine has them.

In a folder they are renamed and unpacked in place. In an object store they pass through VAR_DIR of the
machine that receives or unpacks them, and are objects before they have rows.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.core.files.base import File
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import TemporaryUploadedFile
from django.core.files.uploadedfile import UploadedFile as SentFile

from annotator.exchange.formats.names import place_in
from annotator.images.storage import path_in_storage
from annotator.models import UploadedFile

FOLDER: Final = "receiving"
_STORED_AT_ONCE: Final = 8
_ABANDONED_SECONDS: Final = 24 * 60 * 60


def folder_of(upload: UUID) -> str:
    """Return the folder of an upload in the storage."""
    return f"{FOLDER}/{upload.hex}"


def name_of(file: UploadedFile) -> str:
    """Return the name of a file's bytes in the storage."""
    return place_in(Path(folder_of(file.upload.public_id)), file.public_id).as_posix()


class ArrivingFile(TemporaryUploadedFile):
    """Django's file of a request, on the disk of its upload, so that a complete one is only renamed."""

    def __init__(self, upload: UUID) -> None:
        folder = path_in_storage(f"{folder_of(upload)}/incoming") or _own_folder()
        folder.mkdir(parents=True, exist_ok=True)
        file = tempfile.NamedTemporaryFile(dir=folder)  # noqa: SIM115  closed with the request
        SentFile.__init__(self, file, "file", size=0)


def keep(file: SentFile[Any], name: str) -> None:
    """Have the disk take a complete file, and give it its name in the storage. Raises OSError."""
    file.seek(0)
    os.fsync(file.fileno())
    default_storage.save(name, file)


def link(path: Path, name: str) -> None:
    """Give a file of this machine a name in the storage: by a link, or a copy in an object store."""
    place = path_in_storage(name)
    if place is None:
        with path.open("rb") as file:
            default_storage.save(name, File(file))
        return
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(path)


@contextmanager
def on_this_machine(file: UploadedFile) -> Iterator[Path]:
    """Yield the path of a file's bytes, fetched from an object store. Raises OSError."""
    name = name_of(file)
    path = path_in_storage(name)
    if path is not None:
        yield path
        return
    with tempfile.NamedTemporaryFile(dir=_own_folder()) as copy:
        default_storage.fetch(name, copy)  # type: ignore[attr-defined]  # an ObjectStore
        copy.flush()
        yield Path(copy.name)


@contextmanager
def unpacking_folder(upload: UUID) -> Iterator[Path]:
    """Yield a folder in which to place the files of an archive, which are in the storage afterwards."""
    path = path_in_storage(folder_of(upload))
    if path is not None:
        yield path
        return
    _remove_abandoned()
    with tempfile.TemporaryDirectory(dir=_own_folder()) as folder:
        yield Path(folder)

        def store(unpacked: Path) -> None:
            link(unpacked, f"{folder_of(upload)}/{unpacked.relative_to(folder).as_posix()}")

        with ThreadPoolExecutor(_STORED_AT_ONCE) as threads:
            list(threads.map(store, (path for path in Path(folder).rglob("*") if path.is_file())))


def listed(folder: str) -> tuple[list[str], list[str]]:
    """Return folders, but no links, and files in the default storage; none if the folder is missing."""
    try:
        folders, files = default_storage.listdir(folder)
    except FileNotFoundError:
        return [], []
    path = path_in_storage(folder)
    return [name for name in folders if path is None or not (path / name).is_symlink()], list(files)


def remove_folder(folder: str) -> None:
    """Remove the folder of an upload from the storage. Raises OSError."""
    path = path_in_storage(folder)
    if path is not None:
        shutil.rmtree(path)
        return
    for part in listed(folder)[0]:
        for name in listed(f"{folder}/{part}")[1]:
            default_storage.delete(f"{folder}/{part}/{name}")


def folder_with_room() -> Path:
    """Return the folder on this machine whose disk takes the bytes of requests."""
    folder = path_in_storage(FOLDER) or _own_folder()
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return folder


def _own_folder() -> Path:
    folder = Path(settings.VAR_DIR, FOLDER)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _remove_abandoned() -> None:
    """Remove what killed processes of this machine had received or unpacked."""
    for left in _own_folder().iterdir():
        with suppress(OSError):
            if left.stat().st_mtime < time.time() - _ABANDONED_SECONDS:
                shutil.rmtree(left) if left.is_dir() else left.unlink()

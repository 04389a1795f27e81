"""Received bytes on the disk, with thumbnails beside them: a file's length is the offset of the upload.

Bytes count as received after an fsync. A lock is held for one write, never while waiting for the network, so
a dead connection blocks no others. A writer whose offset is not the end of the file stops, so two
writers never mix their bytes.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import logging
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Protocol
from uuid import UUID, uuid4

from django.conf import settings

from annotator.models import UploadedFile

CHUNK: Final = 1024 * 1024
"""Bytes held in memory."""
PUSH_EVERY: Final = 16 * CHUNK
"""Bytes between two fsyncs of a long body: the most that a failing disk can lose."""

_FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class ByteStream(Protocol):
    """A source of bytes."""

    def read(self, size: int, /) -> bytes:
        """Return at most `size` bytes, none at the end."""


class Moved(Exception):
    """The offset is not the end of the file; `there` is its end."""

    def __init__(self, there: int) -> None:
        super().__init__(f"The file ends at {there}.")
        self.there = there


class Removed(Exception):
    """The file was removed during the transfer."""


class CannotKeep(Exception):
    """The disk refuses the bytes; `full` tells whether it is full."""

    def __init__(self, words: str, *, full: bool) -> None:
        super().__init__(words)
        self.full = full


def folder_of(upload: UUID) -> Path:
    """Return the folder of an upload."""
    return Path(settings.UPLOAD_DIR) / upload.hex


def place_of(upload: UUID, file: UUID) -> Path:
    """Return the path of a file, in subfolders because 100,000 names in a folder are slow to list."""
    return folder_of(upload) / file.hex[:2] / file.hex


def length_at(path: Path) -> int:
    """Return the number of bytes received; 0 without a file. Raises CannotKeep."""
    try:
        handle = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        return 0
    except OSError as error:
        raise _refusal(error) from error
    try:
        with _lock(handle):
            os.fsync(handle)
            return os.fstat(handle).st_size
    except OSError as error:
        raise _refusal(error) from error
    finally:
        os.close(handle)


def append_at(path: Path, offset: int, stream: ByteStream, length: int) -> int:
    """Append up to `length` bytes at `offset`, the end of the file; return its new end.

    Fewer bytes arrive if the stream breaks off. Raises Moved, Removed, CannotKeep; after the last, the file
    ends at its last fsync.
    """
    fresh = not path.parent.is_dir()
    with _opened(path) as handle:
        pushed = position = offset
        _guarded(handle, offset, b"", pushed)
        for piece in _pieces(stream, length):
            _guarded(handle, position, piece, pushed)
            position += len(piece)
            if position - pushed >= PUSH_EVERY:
                _push(handle, position, pushed)
                pushed = position
                require_room(0)
        _push(handle, position, pushed)
        if offset == 0:
            _push_folders(path, 3 if fresh else 1)
        return position


def require_room(size: int, *, promised: int = 0) -> None:
    """Raise CannotKeep unless the disk has room for `size` bytes, those `promised` before, and a reserve."""
    folder = Path(settings.UPLOAD_DIR)
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    free = shutil.disk_usage(folder).free - settings.UPLOAD_RESERVE_BYTES - promised
    if size > free:
        raise CannotKeep(
            f"The server has no room for {size:,} bytes; {max(free, 0):,} are free for uploads. "
            "Discard uploads that are no longer needed, or ask the administrator of the server.",
            full=True,
        )


def remove_bytes(path: Path) -> None:
    """Remove a file's bytes; concurrent writers raise Removed."""
    with contextlib.suppress(FileNotFoundError):
        path.unlink()


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o640)
    except OSError as error:
        raise _refusal(error) from error
    try:
        yield handle
    finally:
        os.close(handle)


@contextmanager
def _lock(handle: int) -> Iterator[None]:
    fcntl.flock(handle, fcntl.LOCK_EX)
    try:
        yield
    finally:
        fcntl.flock(handle, fcntl.LOCK_UN)


def _pieces(stream: ByteStream, length: int) -> Iterator[bytes]:
    """Yield received bytes until the end or until the connection breaks."""
    while length > 0:
        try:
            piece = stream.read(min(CHUNK, length))
        except OSError:  # of the network, not the disk
            return
        if not piece:
            return
        length -= len(piece)
        yield piece


def _guarded(handle: int, position: int, piece: bytes, pushed: int) -> None:
    """Write a piece at the end of the file; after a failure, truncate to the last fsync."""
    try:
        with _lock(handle):
            _expect_end(handle, position)
            try:
                _write(handle, position, piece)
            except OSError:
                os.ftruncate(handle, pushed)
                raise
    except OSError as error:
        raise _refusal(error) from error


def _push(handle: int, position: int, pushed: int) -> None:
    """Sync written bytes to the disk; truncate those whose fsync failed, which may be lost."""
    try:
        os.fsync(handle)
    except OSError as error:
        with _lock(handle), contextlib.suppress(Moved, Removed, OSError):
            _expect_end(handle, position)
            os.ftruncate(handle, pushed)
        raise _refusal(error) from error


def _expect_end(handle: int, position: int) -> None:
    there = os.fstat(handle)
    if there.st_nlink == 0:
        raise Removed
    if there.st_size != position:
        raise Moved(there.st_size)


def _write(handle: int, position: int, piece: bytes) -> None:
    rest = memoryview(piece)
    while rest:
        written = os.pwrite(handle, rest, position)
        position += written
        rest = rest[written:]


def _push_folders(path: Path, levels: int) -> None:
    """Sync the folders: without it, a power cut may lose the file's name."""
    for folder in path.parents[:levels]:
        try:
            handle = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)
        except OSError as error:
            raise _refusal(error) from error


def _refusal(error: OSError) -> Exception:
    if isinstance(error, FileNotFoundError):  # its folder was removed in the meantime
        return Removed()
    if error.errno in _FULL:
        return CannotKeep(
            "The server's disk is full. Uploaded parts are kept. Free some space, or ask the administrator "
            "of the server, then resume.",
            full=True,
        )
    return CannotKeep(f"The server cannot store the file: {error.strerror or error}.", full=False)


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

"""Bytes on their way, on the disk: the file itself is the truth of how far it is.

Nothing is said to be there before it was pushed to the disk. A lock is held for one write, never while the
network is waited for, so that a connection that died in silence stops nobody. Whoever writes at a place
where the file does not end, ends: two writers never mix their bytes.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Protocol
from uuid import UUID

from django.conf import settings

CHUNK: Final = 1024 * 1024
"""Bytes that are held in memory at once."""
PUSH_EVERY: Final = 16 * CHUNK
"""Bytes after which a long body is pushed to the disk: what a failing disk can take back at most."""

_FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class Readable(Protocol):
    """What bytes are taken from."""

    def read(self, size: int, /) -> bytes:
        """Return at most `size` bytes; none at the end."""


class Moved(Exception):
    """The file does not end where the bytes were to begin; `there` is where it ends."""

    def __init__(self, there: int) -> None:
        super().__init__(f"The file ends at {there}.")
        self.there = there


class Removed(Exception):
    """The file was removed while bytes were on their way."""


class CannotKeep(Exception):
    """The disk does not take the bytes; the message says why, `full` whether room is what it lacks."""

    def __init__(self, words: str, *, full: bool) -> None:
        super().__init__(words)
        self.full = full


def folder_of(upload: UUID) -> Path:
    """Where the bytes of an upload lie."""
    return Path(settings.UPLOAD_DIR) / upload.hex


def place_of(upload: UUID, file: UUID) -> Path:
    """Where the bytes of a file lie; fanned out, because 100,000 names in a folder are slow to list."""
    return folder_of(upload) / file.hex[:2] / file.hex


def length_at(path: Path) -> int:
    """How many bytes are there for good; 0 where there is no file. Raises CannotKeep."""
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


def append_at(path: Path, offset: int, stream: Readable, length: int) -> int:
    """Add up to `length` bytes at `offset`, where the file has to end; return where it ends now.

    Less than asked for arrives where the stream breaks off. Raises Moved, Removed, CannotKeep; after the
    last, the file ends where it was last pushed to the disk.
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
    """Raise CannotKeep unless `size` bytes, and those `promised` before, leave the disk what others need."""
    folder = Path(settings.UPLOAD_DIR)
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    free = shutil.disk_usage(folder).free - settings.UPLOAD_RESERVE_BYTES - promised
    if size > free:
        raise CannotKeep(
            f"There is no room for this on the server: it needs {size:,} bytes, and {max(free, 0):,} are "
            "free for uploads. Discard uploads that are no longer needed, or ask whoever runs the server.",
            full=True,
        )


def remove_bytes(path: Path) -> None:
    """Remove a file's bytes; whoever is writing to it is told so."""
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


def _pieces(stream: Readable, length: int) -> Iterator[bytes]:
    """What arrives, until it is complete or the connection breaks."""
    while length > 0:
        try:
            piece = stream.read(min(CHUNK, length))
        except OSError:  # the network's, not the disk's
            return
        if not piece:
            return
        length -= len(piece)
        yield piece


def _guarded(handle: int, position: int, piece: bytes, pushed: int) -> None:
    """Write a piece where the file has to end; what fails half-way is cut back to what was pushed."""
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
    """Push to the disk what was written. Bytes whose push failed may be lost: they are cut off."""
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
    """Push the names too: a file whose folder was not pushed may be gone after a power cut."""
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
    if isinstance(error, FileNotFoundError):  # its folder was removed under our hands
        return Removed()
    if error.errno in _FULL:
        return CannotKeep(
            "The server's disk is full. What was confirmed before is kept: free some room, or ask whoever "
            "runs the server, then go on.",
            full=True,
        )
    return CannotKeep(f"The server cannot keep the file: {error.strerror or error}.", full=False)

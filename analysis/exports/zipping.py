"""Zip files in pieces, with the same bytes for the same entries: all entries share one time."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Final, NamedTuple, Self
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

LONG_AGO: Final = (2000, 1, 1, 0, 0, 0)
# A regular file, readable by all.
_MODE: Final = 0o100644 << 16


class Sink(io.RawIOBase):
    """Holds written bytes until they are taken."""

    def __init__(self) -> None:
        self._held: list[bytes] = []

    def writable(self) -> bool:
        """Return that the stream is writable."""
        return True

    def write(self, data: object) -> int:
        """Store a copy of the data."""
        piece = bytes(memoryview(data))  # type: ignore[arg-type]
        self._held.append(piece)
        return len(piece)

    def take(self) -> bytes:
        """Return the bytes written since the last call."""
        taken = b"".join(self._held)
        self._held.clear()
        return taken


class Written(NamedTuple):
    """The SHA-256 (hexadecimal) and unpacked size in bytes of an entry."""

    sha256: str
    size: int


class Zip:
    """The pieces of a zip: iterate over `entry` once per file in order, then over `end`.

    `written` is the last entry that was written.
    """

    def __init__(self) -> None:
        self._sink = Sink()
        self._archive = ZipFile(self._sink, "w")
        self.written = Written("", 0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._archive.close()

    def entry(self, name: str, contents: Iterable[bytes], *, packed: bool = True) -> Iterator[bytes]:
        """Yield the pieces of an entry; `packed` ones are deflated."""
        digest, size = sha256(), 0
        with self._archive.open(timeless(name, packed=packed), "w", force_zip64=True) as target:
            for piece in contents:
                digest.update(piece)
                size += len(piece)
                target.write(piece)
                if made := self._sink.take():
                    yield made
        yield self._sink.take()
        self.written = Written(digest.hexdigest(), size)

    def end(self) -> Iterator[bytes]:
        """Yield the directory of all entries."""
        self._archive.close()
        yield self._sink.take()


def timeless(name: str, *, packed: bool = True) -> ZipInfo:
    """Return the entry of a file, with the one time."""
    entry = ZipInfo(name, LONG_AGO)
    entry.compress_type = ZIP_DEFLATED if packed else ZIP_STORED
    entry.external_attr = _MODE
    return entry

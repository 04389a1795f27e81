"""Write a zip sequentially, with the same bytes for the same entries.

`zipfile` keeps all records in memory and stamps times; here records go to a temporary file and all entries
share one time. Layout: APPNOTE 6.3.10, sections 4.3.7 to 4.3.16, always with ZIP64.
"""

from __future__ import annotations

import struct
import tempfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import IO, Final, Self

STORED: Final = 0
DEFLATED: Final = 8
LEVEL: Final = 6
# Midnight of 1 January 2000 in MS-DOS format, so that the same data always make the same file.
TIME: Final = 0
DATE: Final = (2000 - 1980) << 9 | 1 << 5 | 1
# Sizes follow the data; the name is UTF-8.
FLAGS: Final = 1 << 3 | 1 << 11
VERSION: Final = 45
# A regular file made on Unix, readable by all.
MADE_ON_UNIX: Final = 3 << 8 | VERSION
MODE: Final = 0o100644 << 16
FULL: Final = 0xFFFFFFFF
IN_MEMORY: Final = 256 * 1024
PIECE: Final = 64 * 1024


@dataclass(frozen=True)
class Written:
    """The SHA-256 (hexadecimal) and unpacked size in bytes of an entry."""

    sha256: str
    size: int


class Zip:
    """The pieces of a zip: iterate over `entry` once per file in order, then over `end`."""

    def __init__(self) -> None:
        self._records: IO[bytes] = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115
        self._count = 0
        self._offset = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._records.close()

    def entry(self, name: str, contents: Iterable[bytes], *, packed: bool = True) -> _Entry:
        """Return an entry to iterate over, which then sets its `written`; `packed` ones are deflated."""
        return _Entry(self, name.encode(), contents, packed=packed)

    def end(self) -> Iterator[bytes]:
        """Yield the directory of all entries."""
        start, size = self._offset, self._records.tell()
        self._records.seek(0)
        while piece := self._records.read(PIECE):
            yield piece
        counts = (self._count, self._count, size, start)
        yield struct.pack("<4sQHHLLQQQQ", b"PK\x06\x06", 44, MADE_ON_UNIX, VERSION, 0, 0, *counts)
        yield struct.pack("<4sLQL", b"PK\x06\x07", 0, start + size, 1)
        yield struct.pack("<4sHHHHLLH", b"PK\x05\x06", 0, 0, 0xFFFF, 0xFFFF, FULL, FULL, 0)

    def _keep(self, name: bytes, method: int, crc: int, packed: int, size: int) -> None:
        extra = struct.pack("<HHQQQ", 1, 24, size, packed, self._offset)
        head = (MADE_ON_UNIX, VERSION, FLAGS, method, TIME, DATE, crc, FULL, FULL)
        rest = (len(name), len(extra), 0, 0, 0, MODE, FULL)
        self._records.write(struct.pack("<4sHHHHHHLLLHHHHHLL", b"PK\x01\x02", *head, *rest) + name + extra)
        self._count += 1


class _Entry:
    """One entry being written."""

    def __init__(self, archive: Zip, name: bytes, contents: Iterable[bytes], *, packed: bool) -> None:
        self._archive = archive
        self._name = name
        self._contents = contents
        self._method = DEFLATED if packed else STORED
        self.written = Written("", 0)

    def __iter__(self) -> Iterator[bytes]:
        name, method, archive = self._name, self._method, self._archive
        extra = struct.pack("<HHQQ", 1, 16, 0, 0)
        head = (VERSION, FLAGS, method, TIME, DATE, 0, FULL, FULL, len(name), len(extra))
        local = struct.pack("<4sHHHHHLLLHH", b"PK\x03\x04", *head) + name + extra
        yield local
        packer = zlib.compressobj(LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS) if method == DEFLATED else None
        digest, crc, size, packed = sha256(), 0, 0, 0
        for piece in self._contents:
            digest.update(piece)
            crc, size = zlib.crc32(piece, crc), size + len(piece)
            made = packer.compress(piece) if packer else piece
            packed += len(made)
            if made:
                yield made
        if packer:
            last = packer.flush()
            packed += len(last)
            yield last
        descriptor = struct.pack("<4sLQQ", b"PK\x07\x08", crc, packed, size)
        yield descriptor
        archive._keep(name, method, crc, packed, size)
        archive._offset += len(local) + packed + len(descriptor)
        self.written = Written(digest.hexdigest(), size)

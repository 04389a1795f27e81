"""The directory of a zip archive, read as written by somebody who means harm.

Nothing is believed that the file itself does not bear out, and nothing is read whole: neither the archive,
nor its directory. The standard library's reader takes the directory into memory at once, and in the Python
versions we run on it reads entries that share their bytes (CVE-2024-0450).
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, Final

from annotator.uploads.archives.zip_names import extra_fields, name_of
from annotator.uploads.refusals import UploadRefused

ENCRYPTED: Final = 0x0001 | 0x0040 | 0x2000
MOST_DIRECTORY: Final = 256 * 1024 * 1024
"""Bytes: as many entries as are read take a fifth of it, with paths of 200 letters."""
_UTF8: Final = 0x0800
_ZIP64: Final = 1
_END: Final = struct.Struct("<4sHHHHLLH")
_END64: Final = struct.Struct("<4sQHHLLQQQQ")
_LOCATOR: Final = struct.Struct("<4sLQL")
_HEADER: Final = struct.Struct("<4sBBHHHHHLLLHHHHHLL")
_LOCAL: Final = struct.Struct("<4sHHHHHLLLHH")
_LONGEST_COMMENT: Final = 0xFFFF
_SYSTEMS_WITH_MODES: Final = (3, 19)  # Unix, macOS
_WAY_OUT: Final = "Make it again, or bring the files themselves."


class ArchiveRefused(UploadRefused):
    """The archive as a whole is not read; the message says why and what to do."""


@dataclass(frozen=True)
class Header:
    """What the directory says of one entry: `place` of the header itself, `local` of the entry's own."""

    place: int
    local: int
    raw_name: bytes
    name: str
    flags: int
    method: int
    crc: int
    packed: int
    size: int
    mode: int
    disk: int

    @property
    def least_end(self) -> int:
        """Where the entry's bytes end at the earliest: its own header may have further fields."""
        return self.local + _LOCAL.size + len(self.raw_name) + self.packed


@dataclass(frozen=True)
class Directory:
    """Where the headers lie, and how many there are said to be."""

    start: int
    end: int
    count: int


def find_directory(file: BinaryIO) -> Directory:
    """Where the directory lies. Raises ArchiveRefused for what is no zip archive, or no whole one."""
    size = file.seek(0, os.SEEK_END)
    reach = min(size, _END.size + _LONGEST_COMMENT)
    file.seek(size - reach)
    tail = file.read(reach)
    found = _last_end(tail)
    if found is None:
        raise ArchiveRefused(f"This is no zip archive, or its end is missing: it was cut off. {_WAY_OUT}")
    at = size - reach + found
    _, disk, first, here, count, length, start, _ = _END.unpack_from(tail, found)
    end = at
    if 0xFFFF in (here, count) or 0xFFFFFFFF in (length, start):
        end, (disk, first, here, count, length, start) = _large(file, at)
    if (disk, first, here) != (0, 0, count):
        raise ArchiveRefused("This is one of several parts of an archive. Put them together first.")
    if start + length != end:
        raise ArchiveRefused(
            "The archive's directory is not where the archive says. Some programs write archives over 4 GB "
            f"like this. {_WAY_OUT}"
        )
    if length > MOST_DIRECTORY:
        raise ArchiveRefused(
            f"The archive's directory has {length:,} bytes; at most {MOST_DIRECTORY:,} are read. {_WAY_OUT}"
        )
    return Directory(start, end, count)


def headers(file: BinaryIO, directory: Directory) -> Iterator[Header]:
    """The headers in their order. Raises ArchiveRefused where they do not fill the directory."""
    place = directory.start
    number = 0
    while place < directory.end:
        header, place = header_at(file, place, directory.end)
        number += 1
        yield header
    if number != directory.count:
        raise ArchiveRefused(
            f"The archive says that it has {directory.count:,} entries, and has {number:,}. {_WAY_OUT}"
        )


def header_at(file: BinaryIO, place: int, end: int) -> tuple[Header, int]:
    """The header at a place, and where the next one begins. Raises ArchiveRefused."""
    file.seek(place)
    fixed = file.read(_HEADER.size)
    if len(fixed) < _HEADER.size or fixed[:4] != b"PK\x01\x02":
        raise ArchiveRefused(f"The archive's directory is damaged at byte {place:,}. {_WAY_OUT}")
    fields = _HEADER.unpack(fixed)
    lengths = fields[11:14]
    rest = file.read(sum(lengths))
    after = place + _HEADER.size + sum(lengths)
    if len(rest) < sum(lengths) or after > end:
        raise ArchiveRefused(f"The archive's directory is damaged at byte {place:,}. {_WAY_OUT}")
    raw, extra = rest[: lengths[0]], rest[lengths[0] : lengths[0] + lengths[1]]
    return _header(place, fields, raw, extra), after


def data_start(file: BinaryIO, header: Header) -> int | None:
    """Where an entry's bytes begin, by its own header; None where that contradicts the directory."""
    file.seek(header.local)
    fixed = file.read(_LOCAL.size)
    if len(fixed) < _LOCAL.size or fixed[:4] != b"PK\x03\x04":
        return None
    fields: tuple[int, ...] = _LOCAL.unpack(fixed)[1:]
    flags, method, name_length, extra_length = fields[1], fields[2], fields[8], fields[9]
    if method != header.method or flags & ENCRYPTED or file.read(name_length) != header.raw_name:
        return None
    return header.local + _LOCAL.size + name_length + extra_length


def _last_end(tail: bytes) -> int | None:
    """The place of the last end record whose comment ends where the file does."""
    place = tail.rfind(b"PK\x05\x06")
    while place >= 0:
        if len(tail) - place >= _END.size:
            comment = _END.unpack_from(tail, place)[-1]
            if place + _END.size + comment == len(tail):
                return place
        place = tail.rfind(b"PK\x05\x06", 0, place)
    return None


def _large(file: BinaryIO, at: int) -> tuple[int, tuple[int, int, int, int, int, int]]:
    """What the end record of a large archive says, and where it lies."""
    refused = ArchiveRefused(f"The archive's end is damaged (zip64). {_WAY_OUT}")
    if at < _LOCATOR.size + _END64.size:
        raise refused
    file.seek(at - _LOCATOR.size)
    signature, _, place, disks = _LOCATOR.unpack(file.read(_LOCATOR.size))
    if signature != b"PK\x06\x07" or disks > 1 or place > at - _LOCATOR.size - _END64.size:
        raise refused
    file.seek(place)
    fields = _END64.unpack(file.read(_END64.size))
    if fields[0] != b"PK\x06\x06":
        raise refused
    return place, (fields[4], fields[5], fields[6], fields[7], fields[8], fields[9])


def _header(place: int, fields: tuple[int, ...], raw: bytes, extra: bytes) -> Header:
    _, _, system, _, flags, method, _, _, crc, packed, size, _, _, _, disk, _, attributes, local = fields
    size, packed, local, disk = _true_sizes(size, packed, local, disk, extra)
    return Header(
        place=place,
        local=local,
        raw_name=raw,
        name=name_of(raw, utf8=bool(flags & _UTF8), extra=extra),
        flags=flags,
        method=method,
        crc=crc,
        packed=packed,
        size=size,
        mode=attributes >> 16 if system in _SYSTEMS_WITH_MODES else 0,
        disk=disk,
    )


def _true_sizes(size: int, packed: int, local: int, disk: int, extra: bytes) -> tuple[int, int, int, int]:
    """The numbers with those that did not fit taken from the extra field, in its order.

    What the field lacks stays the largest number there is, and is refused as lying outside the archive.
    """
    field = extra_fields(extra).get(_ZIP64, b"")
    numbers = []
    for number in (size, packed, local):
        if number == 0xFFFFFFFF and len(field) >= 8:
            number, field = struct.unpack_from("<Q", field)[0], field[8:]
        numbers.append(number)
    if disk == 0xFFFF and len(field) >= 4:
        disk = struct.unpack_from("<L", field)[0]
    return numbers[0], numbers[1], numbers[2], disk

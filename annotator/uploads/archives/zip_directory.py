"""Read the directory of an untrusted zip archive.

Every field is checked against the file, and neither the archive nor its directory is loaded as a whole. The
standard library loads the directory into memory, and in the supported Python versions reads entries that
share bytes (CVE-2024-0450).
"""

from __future__ import annotations

import os
import re
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, Final

from annotator.uploads.refusals import UploadRefused

_UNICODE_PATH: Final = 0x7075
# Kana and kanji; misread names look like the Latin, Greek and Cyrillic letters of Shift-JIS.
_JAPANESE: Final = "\u3005\u3007\u3041-\u30ff\u3400-\u9fff\uff66-\uff9f"
# Possessive, because backtracking would grow exponentially with the length of a name.
_JAPANESE_NAME: Final = re.compile(rf"(?:[\x20-\x7e\u3000-\u3002\uff08\uff09]|[{_JAPANESE}]{{2,}}+)++")


def name_of(raw: bytes, *, utf8: bool, extra: bytes) -> str:
    """Return the name as text; undecodable bytes are read as cp437, which maps all bytes."""
    if (path := _unicode_path(raw, extra)) is not None:
        return path
    for encoding in ("utf-8", "cp932"):
        try:
            text = raw.decode(encoding)
        except UnicodeDecodeError:
            continue
        if encoding == "utf-8" or _JAPANESE_NAME.fullmatch(text):
            return text
    # Flagged as UTF-8 but invalid: use replacement characters.
    return raw.decode("utf-8", "replace") if utf8 else raw.decode("cp437")


def extra_fields(extra: bytes) -> dict[int, bytes]:
    """Return the first extra field of each number; a broken one ends the list."""
    found: dict[int, bytes] = {}
    place = 0
    while place + 4 <= len(extra):
        number, length = struct.unpack_from("<HH", extra, place)
        place += 4
        if place + length > len(extra):
            break
        found.setdefault(number, extra[place : place + length])
        place += length
    return found


def _unicode_path(raw: bytes, extra: bytes) -> str | None:
    """Return the name added by Info-ZIP, if it belongs to this name."""
    field = extra_fields(extra).get(_UNICODE_PATH, b"")
    if len(field) <= 5 or field[0] != 1 or struct.unpack_from("<L", field, 1)[0] != zlib.crc32(raw):
        return None
    try:
        return field[5:].decode()
    except UnicodeDecodeError:
        return None


ENCRYPTED: Final = 0x0001 | 0x0040 | 0x2000
MOST_DIRECTORY: Final = 256 * 1024 * 1024
"""Bytes: the maximum number of entries takes a fifth of it, with paths of 200 letters."""
_UTF8: Final = 0x0800
_ZIP64: Final = 1
_END: Final = struct.Struct("<4sHHHHLLH")
_END64: Final = struct.Struct("<4sQHHLLQQQQ")
_LOCATOR: Final = struct.Struct("<4sLQL")
_HEADER: Final = struct.Struct("<4sBBHHHHHLLLHHHHHLL")
_LOCAL: Final = struct.Struct("<4sHHHHHLLLHH")
_LONGEST_COMMENT: Final = 0xFFFF
_SYSTEMS_WITH_MODES: Final = (3, 19)  # Unix, macOS
_WAY_OUT: Final = "Create it again, or upload the files themselves."


class ArchiveRefused(UploadRefused):
    """The whole archive is refused; the message names the cause and the repair."""


@dataclass(frozen=True)
class Header:
    """The directory's record of an entry: `place` is its own position, `local` that of the entry's header."""

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
        """The earliest end of the entry's bytes: its own header may have further fields."""
        return self.local + _LOCAL.size + len(self.raw_name) + self.packed


@dataclass(frozen=True)
class Directory:
    """The position of the records, and their declared number."""

    start: int
    end: int
    count: int


def find_directory(file: BinaryIO) -> Directory:
    """Find the directory. Raises ArchiveRefused for files that are not complete zip archives."""
    size = file.seek(0, os.SEEK_END)
    reach = min(size, _END.size + _LONGEST_COMMENT)
    file.seek(size - reach)
    tail = file.read(reach)
    found = _last_end(tail)
    if found is None:
        raise ArchiveRefused(f"This is not a zip archive, or it is truncated. {_WAY_OUT}")
    at = size - reach + found
    _, disk, first, here, count, length, start, _ = _END.unpack_from(tail, found)
    end = at
    if 0xFFFF in (here, count) or 0xFFFFFFFF in (length, start):
        end, (disk, first, here, count, length, start) = _large(file, at)
    if (disk, first, here) != (0, 0, count):
        raise ArchiveRefused("This is one of several parts of an archive. Join them first.")
    if start + length != end:
        raise ArchiveRefused(
            "The archive's directory is not at its declared position, a fault of some programs over 4 GB. "
            f"{_WAY_OUT}"
        )
    if length > MOST_DIRECTORY:
        raise ArchiveRefused(
            f"The archive's directory has {length:,} bytes; at most {MOST_DIRECTORY:,} are read. {_WAY_OUT}"
        )
    return Directory(start, end, count)


def headers(file: BinaryIO, directory: Directory) -> Iterator[Header]:
    """Yield the records in order. Raises ArchiveRefused if they do not fill the directory."""
    place = directory.start
    number = 0
    while place < directory.end:
        header, place = header_at(file, place, directory.end)
        number += 1
        yield header
    if number != directory.count:
        raise ArchiveRefused(
            f"The archive declares {directory.count:,} entries but has {number:,}. {_WAY_OUT}"
        )


def header_at(file: BinaryIO, place: int, end: int) -> tuple[Header, int]:
    """Return the record at a position, and the position of the next. Raises ArchiveRefused."""
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
    """Return the start of an entry's bytes by its own header; None if that contradicts the directory."""
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
    """Return the position of the last end record whose comment ends with the file."""
    place = tail.rfind(b"PK\x05\x06")
    while place >= 0:
        if len(tail) - place >= _END.size:
            comment = _END.unpack_from(tail, place)[-1]
            if place + _END.size + comment == len(tail):
                return place
        place = tail.rfind(b"PK\x05\x06", 0, place)
    return None


def _large(file: BinaryIO, at: int) -> tuple[int, tuple[int, int, int, int, int, int]]:
    """Return the position and fields of the end record of a zip64 archive."""
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
    """Return the numbers, with those too large for the record from the extra field, in its order.

    Missing ones stay at the maximum and are refused as outside the archive.
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

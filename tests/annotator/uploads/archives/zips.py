"""Zip archives made byte by byte, so that every field can lie."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from annotator.uploads.archives.archives import EntryRefused, list_entries, open_entry

UTF8 = 0x800


@dataclass(frozen=True)
class Member:
    """One entry; what is None is told truly."""

    name: bytes
    data: bytes = b""
    method: int = 8
    flags: int = 0
    packed: bytes | None = None
    crc: int | None = None
    size: int | None = None
    packed_size: int | None = None
    mode: int = 0
    extra: bytes = b""
    local_name: bytes | None = None
    local_extra: bytes = b""
    offset: int | None = None
    disk: int = 0

    @property
    def written(self) -> bytes:
        """The bytes as they stand in the archive."""
        if self.packed is not None:
            return self.packed
        return deflated(self.data) if self.method == 8 else self.data


def deflated(data: bytes) -> bytes:
    """The bytes without a wrapper, as zip keeps them."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


def archive(members: Iterable[Member], comment: bytes = b"", **end: int) -> bytes:
    """An archive; `end` are fields of its end record: disk, count, length, start."""
    body, directory, count = bytearray(), bytearray(), 0
    for member in members:
        directory += header(member, len(body) if member.offset is None else member.offset)
        body += local(member) + member.written
        count += 1
    number = end.get("count", count)
    record = struct.pack(
        "<4sHHHHLLH",
        b"PK\x05\x06",
        end.get("disk", 0),
        0,
        number & 0xFFFF,
        number & 0xFFFF,
        end.get("length", len(directory)),
        end.get("start", len(body)),
        len(comment),
    )
    return bytes(body + directory + record + comment)


def archive64(members: list[Member], **end: int) -> bytes:
    """An archive with the end record of large ones; `end` are its fields: count, length, start, place."""
    plain = archive(members)
    body = plain[:-22]
    *_, length, start, _ = struct.unpack("<4sHHHHLLH", plain[-22:])
    count = end.get("count", len(members))
    record = struct.pack(
        "<4sQHHLLQQQQ",
        *(b"PK\x06\x06", 44, 45, 45, 0, 0, count, count),
        *(end.get("length", length), end.get("start", start)),
    )
    locator = struct.pack("<4sLQL", b"PK\x06\x07", 0, end.get("place", len(body)), 1)
    last = struct.pack("<4sHHHHLLH", b"PK\x05\x06", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    return body + record + locator + last


def extra(number: int, data: bytes) -> bytes:
    """One extra field."""
    return struct.pack("<HH", number, len(data)) + data


def local(member: Member) -> bytes:
    """The header before an entry's bytes."""
    name = member.name if member.local_name is None else member.local_name
    crc, size, packed = told(member)
    fields = (20, member.flags, member.method, 0, 0x21, crc, packed, size, len(name), len(member.local_extra))
    return struct.pack("<4sHHHHHLLLHH", b"PK\x03\x04", *fields) + name + member.local_extra


def header(member: Member, offset: int) -> bytes:
    """The header in the directory."""
    crc, size, packed = told(member)
    fixed = struct.pack(
        "<4sBBHHHHHLLLHHHHHLL",
        *(b"PK\x01\x02", 20, 3, 20, member.flags, member.method, 0, 0x21, crc, packed, size),
        *(len(member.name), len(member.extra), 0, member.disk, 0, (member.mode or 0o100644) << 16, offset),
    )
    return fixed + member.name + member.extra


def told(member: Member) -> tuple[int, int, int]:
    """Checksum, size and packed size as the headers have them."""
    crc = zlib.crc32(member.data) if member.crc is None else member.crc
    size = len(member.data) if member.size is None else member.size
    packed = len(member.written) if member.packed_size is None else member.packed_size
    return crc, size, packed


def outcomes(path: Path, most: int = 64 * 1024 * 1024) -> dict[str, bytes | str]:
    """What comes of every entry: its bytes, what speaks against it, or "ignored"."""
    found: dict[str, bytes | str] = {}
    for entry in list_entries(path, most):
        name = entry.name if entry.name not in found else f"{entry.name} again"
        if entry.ignored:
            found[name] = "ignored"
        elif entry.problem:
            found[name] = entry.problem
        else:
            found[name] = opened(path, entry.index, most)
    return found


def opened(path: Path, index: int, most: int) -> bytes | str:
    """The bytes of an entry, or why it was refused."""
    try:
        return open_entry(path, index, most)
    except EntryRefused as refused:
        return str(refused)

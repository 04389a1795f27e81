"""Zip archives made byte by byte, so that every field can lie."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID, uuid4, uuid5

from annotator.exchange.formats.archives import Entry, unpack
from annotator.exchange.formats.names import place_in

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
    fields = (20, member.flags, member.method, 0, 0x21, crc, packed, size, len(name), 0)
    return struct.pack("<4sHHHHHLLLHH", b"PK\x03\x04", *fields) + name


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


def unpacked(path: Path, encoding: str = "", **limits: int) -> tuple[list[Entry], dict[int, bytes]]:
    """The entries of an archive, and the bytes of those that were written, by their position."""
    folder, key = path.parent / uuid4().hex, uuid4()
    folder.mkdir()
    sizes = {"most_bytes": 64 * 1024 * 1024, "most_files": 200_000, "reserve": 0, **limits}
    outcome = unpack(path, folder=str(folder), key=key.hex, encoding=encoding, **sizes)
    entries = [Entry(*fields) for fields in outcome["entries"]]  # type: ignore[arg-type]
    written = {
        entry.position: place.read_bytes()
        for entry in entries
        if (place := place_in(folder, uuid5(UUID(key.hex), str(entry.position)))).exists()
    }
    assert sum(path.is_file() for path in folder.rglob("*")) == len(written)
    return entries, written


def outcomes(path: Path, **limits: int) -> dict[str, bytes | str]:
    """What comes of every entry: its bytes, what speaks against it, or "ignored"."""
    entries, written = unpacked(path, "", **limits)
    found: dict[str, bytes | str] = {}
    for entry in entries:
        name = entry.name if entry.name not in found else f"{entry.name} again"
        found[name] = "ignored" if entry.ignored else entry.problem or written[entry.position]
    return found

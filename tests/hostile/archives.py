"""Zip archives that lie, leave their folder, or unpack to more than they declare."""

from __future__ import annotations

import io
import random
import struct
import unicodedata
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Final

from tests.annotator.exchange.conftest import picture
from tests.annotator.exchange.formats.zips import UTF8, Member, archive, archive64, extra

TOKEN: Final = "anatomark-outside"
"""Part of the name of every entry that leaves its folder; no file on the machine may have it."""

OUTSIDE: Final = (
    f"../{TOKEN}.png",
    f"../../../../{TOKEN}.png",
    f"/{TOKEN}.png",
    f"/tmp/{TOKEN}.png",
    f"a/../../{TOKEN}.png",
    f"..\\..\\{TOKEN}.png",
    f"C:\\{TOKEN}.png",
    f"\\\\host\\share\\{TOKEN}.png",
    f"%2e%2e/{TOKEN}.png",
    f"~/{TOKEN}.png",
    f"．．/{TOKEN}.png",
    f"..\u2215{TOKEN}.png",
    f"file:///tmp/{TOKEN}.png",
)
ODD: Final = (
    *(b"", b".", b"..", b"/", b"\0.png", b"a\0b.png", b"g/p/\n1.png", b"\xff\xfe.png", b"CON.png"),
    *(b"g/" * 200 + b"1.png", b"a" * 4000 + b".png", "\u202egnp.exe/1.png".encode(), b"-rf.png"),
    *(b"=cmd|' /C calc'!A0.png", b"<script>alert(1)</script>.png", b"g/p/{{7*7}}.png", b"$(reboot).png"),
)


def good(chance: random.Random, count: int = 2) -> list[Member]:
    """Honest entries."""
    folder = f"g/p{chance.randrange(10**6)}"
    return _members(chance, (f"{folder}/{number}.png".encode() for number in range(1, count + 1)), flags=0)


def _members(chance: random.Random, names: Iterable[bytes], flags: int = UTF8) -> list[Member]:
    return [Member(name, picture(chance.randrange(1 << 24)), flags=flags) for name in names]


def reaching_out(chance: random.Random) -> bytes:
    """Names that lead out of the folder."""
    return archive([*good(chance), *_members(chance, map(str.encode, OUTSIDE))])


def links(chance: random.Random) -> bytes:
    """A link or a device that leads out, and an entry that follows it."""
    target = chance.choice((b"/tmp", b"/etc/passwd", b"../..", b"/"))
    mode = chance.choice((0o120777, 0o010644, 0o020644, 0o060644, 0o140644))
    through = _members(chance, [f"way/{TOKEN}.png".encode()])
    return archive([*good(chance), Member(b"way", target, method=0, mode=mode), *through])


def bomb(chance: random.Random) -> bytes:
    """One entry that unpacks to a large size, declared or not."""
    zeros = Member(b"g/p/9.png", b"\0" * (65 << 20), size=chance.choice((None, 100, 2**31)))
    return archive([*good(chance), zeros])


def overlapping(chance: random.Random) -> bytes:
    """Entries that share their bytes."""
    first = good(chance, 1)[0]
    return archive([first, *(replace(first, name=f"g/p/{n}.png".encode(), offset=0) for n in range(2, 40))])


def nested(chance: random.Random) -> bytes:
    """Archives in archives."""
    inner = archive(good(chance))
    for depth in range(3):
        inner = archive([*good(chance, 1), Member(f"{depth}.zip".encode(), inner)])
    return inner


def colliding(chance: random.Random) -> bytes:
    """Names that some file systems treat as equal: case, composition, a trailing dot."""
    name = f"g/é{chance.randrange(100)}/1.png"
    alike = (name, name.upper(), unicodedata.normalize("NFD", name), name, f"{name} ", f"{name}.")
    return archive([*good(chance), *_members(chance, map(str.encode, (*alike, name.replace("/", "//"))))])


def odd_names(chance: random.Random) -> bytes:
    """Names that systems reject."""
    return archive([*good(chance), *_members(chance, chance.sample(ODD, 6), chance.choice((0, UTF8)))])


def lying(chance: random.Random) -> bytes:
    """Wrong sizes, checksums, methods and flags."""
    lies: tuple[dict[str, Any], ...] = (
        *({"crc": 7}, {"size": chance.randrange(2**32)}, {"packed_size": chance.randrange(2**32)}),
        *(
            {"method": chance.choice((1, 9, 12, 14, 93, 99))},
            {"flags": 1},
            {"offset": chance.randrange(9999)},
        ),
        *({"disk": 3}, {"local_name": b"other.png"}, {"packed": chance.randbytes(200)}),
        {"extra": extra(1, b"\xff" * 8)},
    )
    first, *others = good(chance, 3)
    return archive([first, *(replace(other, **chance.choice(lies)) for other in others)])


def false_end(chance: random.Random) -> bytes:
    """Wrong end records, in the small and the large form."""
    field = chance.choice(("count", "length", "start"))
    value = chance.choice((0, 1, 65535, 2**31, chance.randrange(10**6)))
    if chance.random() < 0.5:
        return archive64(good(chance), **{field: value << 30})
    return archive(good(chance), b"", **{field: value})


def cut(chance: random.Random) -> bytes:
    """The beginning, or the end, of an archive; or more than one."""
    whole, more = archive(good(chance)), chance.randbytes(50)
    place = chance.randrange(1, len(whole))
    return chance.choice((whole[:place], whole[place:], whole + more, more + whole))


def flipped(chance: random.Random) -> bytes:
    """An archive with some changed bytes."""
    return changed(chance, archive(good(chance, 3)), 20)


def many(chance: random.Random) -> bytes:
    """Thousands of empty entries."""
    return archive([*good(chance), *(Member(f"g/p/{n}.png".encode(), method=0) for n in range(2_000))])


def noise(chance: random.Random) -> bytes:
    """Random bytes between the first and the last of an archive."""
    return b"PK\x03\x04" + chance.randbytes(chance.randrange(2_000)) + struct.pack("<4s18x", b"PK\x05\x06")


def standard(chance: random.Random) -> bytes:
    """Ordinary archives, most of them with a compression that is not supported."""
    buffer = io.BytesIO()
    method = chance.choice((zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA, zipfile.ZIP_DEFLATED))
    with zipfile.ZipFile(buffer, "w", method) as written:
        for member in good(chance):
            written.writestr(member.name.decode(), member.data)
    return buffer.getvalue()


def changed(chance: random.Random, whole: bytes, most: int) -> bytes:
    """Return a file with fewer than `most` changed bytes."""
    damaged = bytearray(whole)
    for _ in range(chance.randrange(1, most)):
        damaged[chance.randrange(len(damaged))] = chance.randrange(256)
    return bytes(damaged)


KINDS: Final[tuple[Callable[[random.Random], bytes], ...]] = (
    *(reaching_out, links, overlapping, nested, colliding, odd_names, lying, false_end, cut, flipped),
    *(bomb, many, noise, standard),
)

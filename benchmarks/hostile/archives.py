"""Zip archives that lie, leave their folder, or unpack to more than they declare."""

from __future__ import annotations

import io
import random
import struct
import unicodedata
import zipfile
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from benchmarks.hostile import damage
from tests.annotator.exchange.conftest import picture
from tests.annotator.exchange.formats.zips import UTF8, Member, archive, archive64, extra

TOKEN: Final = "anatomark-outside"
"""Part of the name of every entry that leaves its folder; no file on the machine may have it."""
LINK: Final = 0o120777
BOMB: Final = 65 * 1024 * 1024

Archive = tuple[str, bytes]


def made(chance: random.Random, count: int) -> list[Archive]:
    """Yield archives of every kind in turn; the name states the kind."""
    kinds = [*KINDS.items()]
    return [
        (f"{kind}-{number}.zip", make(chance))
        for number in range(count)
        for kind, make in [kinds[number % len(kinds)]]
    ]


def good(chance: random.Random, count: int = 2) -> list[Member]:
    """Honest entries."""
    return [
        Member(f"g/p{chance.randrange(10**6)}/{number}.png".encode(), picture(chance.randrange(1 << 24)))
        for number in range(1, count + 1)
    ]


def reaching_out(chance: random.Random) -> bytes:
    """Names that lead out of the folder."""
    ways = (
        f"../{TOKEN}.png",
        f"../../../../{TOKEN}.png",
        f"/{TOKEN}.png",
        f"/tmp/{TOKEN}.png",
        f"a/../../{TOKEN}.png",
        f"..\\..\\{TOKEN}.png",
        f"C:\\{TOKEN}.png",
        f"C:{TOKEN}.png",
        f"\\\\host\\share\\{TOKEN}.png",
        f"./../{TOKEN}.png",
        f"a/./../..//{TOKEN}.png",
        f"%2e%2e/{TOKEN}.png",
        f"..%2f{TOKEN}.png",
        f"~/{TOKEN}.png",
        f"．．/{TOKEN}.png",
        f"..\u2215{TOKEN}.png",
        f"file:///tmp/{TOKEN}.png",
    )
    chosen = [way.encode() for way in chance.sample(ways, 5)]
    return archive(
        [*good(chance), *(Member(way, picture(chance.randrange(1 << 24)), flags=UTF8) for way in chosen)]
    )


def links(chance: random.Random) -> bytes:
    """A link that leads out, and an entry that follows it."""
    target = chance.choice((b"/tmp", b"/etc/passwd", b"../..", b"/"))
    mode = chance.choice((LINK, 0o010644, 0o020644, 0o060644, 0o140644))
    through = Member(f"way/{TOKEN}.png".encode(), picture(chance.randrange(1 << 24)))
    return archive([*good(chance), Member(b"way", target, method=0, mode=mode), through])


def bomb(chance: random.Random) -> bytes:
    """One entry that unpacks to a large size, declared or not."""
    says = chance.choice((None, 100, 2**31))
    zeros = Member(b"g/p/9.png", b"\0" * (BOMB + chance.randrange(1000)), size=says)
    return archive([*good(chance), zeros])


def overlapping(chance: random.Random) -> bytes:
    """Entries that share their bytes."""
    first = good(chance, 1)[0]
    copies = [replace(first, name=f"g/p/{number}.png".encode(), offset=0) for number in range(2, 40)]
    return archive([first, *copies])


def nested(chance: random.Random) -> bytes:
    """Nested archives."""
    inner = archive(good(chance))
    for depth in range(3):
        inner = archive([*good(chance, 1), Member(f"{depth}.zip".encode(), inner)])
    return inner


def colliding(chance: random.Random) -> bytes:
    """Names that some file systems treat as equal: case, composition, a trailing dot."""
    one = f"g/é{chance.randrange(100)}/1.png"
    names = (
        one,
        one.upper(),
        unicodedata.normalize("NFD", one),
        one,
        f"{one} ",
        f"{one}.",
        one.replace("/", "//"),
    )
    members = [Member(name.encode(), picture(chance.randrange(1 << 24)), flags=UTF8) for name in names]
    return archive([*good(chance), *members])


def odd_names(chance: random.Random) -> bytes:
    """Names that systems reject."""
    names = (
        b"",
        b".",
        b"..",
        b"/",
        b"\0.png",
        b"a\0b.png",
        b"g/p/\n1.png",
        b"\xff\xfe.png",
        b"CON.png",
        b"g/" * 200 + b"1.png",
        b"a" * 4000 + b".png",
        "\u202egnp.exe/1.png".encode(),
        b"=cmd|' /C calc'!A0.png",
        b"<script>alert(1)</script>.png",
        b"g/p/'; DROP TABLE annotator_image;--.png",
        b"g/p/{{7*7}}.png",
        b"-rf.png",
        b"$(reboot).png",
    )
    flags = chance.choice((0, UTF8))
    members = [
        Member(name, picture(chance.randrange(1 << 24)), flags=flags) for name in chance.sample(names, 6)
    ]
    return archive([*good(chance), *members])


def lying(chance: random.Random) -> bytes:
    """Wrong sizes, checksums, methods and flags."""
    first, second, third = good(chance, 3)
    lies: tuple[dict[str, Any], ...] = (
        {"crc": chance.randrange(2**32)},
        {"size": chance.randrange(2**32)},
        {"packed_size": chance.randrange(2**32)},
        {"method": chance.choice((1, 9, 12, 14, 93, 99))},
        {"flags": 1},
        {"offset": chance.randrange(10_000)},
        {"disk": 3},
        {"local_name": b"other.png"},
        {"packed": chance.randbytes(200)},
        {"extra": extra(1, b"\xff" * 8)},
    )
    return archive([first, replace(second, **chance.choice(lies)), replace(third, **chance.choice(lies))])


def false_end(chance: random.Random) -> bytes:
    """Wrong end records, in the small and the large form."""
    wrong = {
        chance.choice(("count", "length", "start")): chance.choice(
            (0, 1, 65535, 2**31, chance.randrange(10**6))
        )
    }
    if chance.random() < 0.5:
        return archive64(good(chance), **{name: value << 30 for name, value in wrong.items()})
    return archive(good(chance), b"", **{name: value & 0xFFFFFFFF for name, value in wrong.items()})


def cut(chance: random.Random) -> bytes:
    """The beginning, or the end, of an archive."""
    whole = archive(good(chance))
    place = chance.randrange(1, len(whole))
    return chance.choice(
        (whole[:place], whole[place:], whole + chance.randbytes(50), chance.randbytes(50) + whole)
    )


def flipped(chance: random.Random) -> bytes:
    """An archive with some changed bytes."""
    return damage.flipped(chance, archive(good(chance, 3)), 20)


def many(chance: random.Random) -> bytes:
    """Thousands of empty entries."""
    return archive(
        [*good(chance), *(Member(f"g/p/{number}.png".encode(), method=0) for number in range(2_000))]
    )


def noise(chance: random.Random) -> bytes:
    """Random bytes after the first bytes of an archive."""
    return b"PK\x03\x04" + chance.randbytes(chance.randrange(2_000)) + struct.pack("<4s18x", b"PK\x05\x06")


def standard(chance: random.Random) -> bytes:
    """Ordinary archives with unsupported compression methods."""
    buffer = io.BytesIO()
    method = chance.choice((zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA, zipfile.ZIP_DEFLATED))
    with zipfile.ZipFile(buffer, "w", method) as made_here:
        for member in good(chance):
            made_here.writestr(member.name.decode(), member.data)
    return buffer.getvalue()


KINDS: Final[dict[str, Callable[[random.Random], bytes]]] = {
    make.__name__: make
    for make in (
        reaching_out,
        links,
        overlapping,
        nested,
        colliding,
        odd_names,
        lying,
        false_end,
        cut,
        flipped,
        bomb,
        many,
        noise,
        standard,
    )
}

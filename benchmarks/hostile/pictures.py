"""Images of every accepted kind with their expected colours, and invalid files."""

from __future__ import annotations

import io
import random
import struct
import zlib
from dataclasses import dataclass
from typing import Any, Final

from PIL import Image as Picture

from benchmarks.hostile import damage

Color = tuple[int, int, int]
SIZE: Final = (48, 32)
_UNDO: Final = {2: 0, 3: 3, 4: 1, 5: 5, 6: 2, 7: 6, 8: 4}
"""The transformation that each EXIF orientation undoes."""
HUGE: Final = (4500, 4000)


@dataclass(frozen=True)
class Sample:
    """A file, and the expected colours in the middle of its quarters, if known."""

    name: str
    contents: bytes
    colors: tuple[Color, Color, Color, Color] | None = None


def valid(chance: random.Random, count: int) -> list[Sample]:
    """Yield valid images: formats, modes, orientations, transparency, 16 bits."""
    made = []
    for number in range(count):
        colors = tuple(tuple(chance.randrange(256) for _ in range(3)) for _ in range(4))
        way = WAYS[number % len(WAYS)]
        made.append(_one(way, f"valid/{way[0].lower()} {way[1]}/{number + 1}", chance, colors))  # type: ignore[arg-type]
    return made


WAYS: Final = (
    *(("PNG", mode) for mode in ("RGB", "RGBA", "P", "L", "LA", "1", "I;16")),
    *(("JPEG", mode) for mode in ("RGB", "L", "CMYK", "progressive")),
    *(("WEBP", mode) for mode in ("RGB", "RGBA")),
    *((kind, f"turned {turn}") for kind in ("PNG", "JPEG", "WEBP") for turn in range(2, 9)),
)


def _one(way: tuple[str, str], name: str, chance: random.Random, colors: tuple[Color, ...]) -> Sample:
    kind, mode = way
    options: dict[str, Any] = {} if kind == "PNG" else {"quality": 95}
    if kind == "WEBP":
        options["lossless"] = True
    if kind == "JPEG":
        options["subsampling"] = 0
    if mode in ("L", "LA", "1", "I;16"):
        return _grey(mode, name, chance, kind, options)
    plain = quarters(colors)
    shown = colors
    if mode == "RGBA":
        alphas = tuple(chance.randrange(256) for _ in range(4))
        plain.putalpha(quarters([(alpha,) * 3 for alpha in alphas]).convert("L"))
        shown = tuple(_over_white(*each) for each in zip(colors, alphas, strict=True))
    elif mode == "P":
        plain = plain.quantize(8)
    elif mode == "CMYK":
        plain = plain.convert("CMYK")
    elif mode == "progressive":
        options["progressive"] = True
    elif mode.startswith("turned"):
        turn = int(mode[-1])
        plain = plain.transpose(Picture.Transpose(_UNDO[turn]))
        exif = Picture.Exif()
        exif[0x0112] = turn
        options["exif"] = exif
    return Sample(name, written(plain, kind, **options), shown)  # type: ignore[arg-type]


def _grey(mode: str, name: str, chance: random.Random, kind: str, options: dict[str, Any]) -> Sample:
    tones = [chance.randrange(256) for _ in range(4)]
    if mode == "1":
        tones = [chance.choice((0, 255)) for _ in range(4)]
    plain = quarters([(tone,) * 3 for tone in tones]).convert("L")
    shown = list(tones)
    if mode == "I;16":
        deep = Picture.new("I;16", SIZE)
        deep.putdata([tone * 257 for tone in plain.tobytes()])
        plain = deep
    elif mode == "1":
        plain = plain.convert("1", dither=Picture.Dither.NONE)
    elif mode == "LA":
        alpha = chance.randrange(256)
        plain.putalpha(Picture.new("L", SIZE, alpha))
        shown = [_over_white((tone,) * 3, alpha)[0] for tone in tones]
    colors: Any = tuple((tone,) * 3 for tone in shown)
    return Sample(name, written(plain, kind, **options), colors)


def broken(chance: random.Random, count: int) -> list[Sample]:
    """Yield invalid files: not images, truncated, animated, too large, or ambiguous."""
    makers = (_cut, _flipped, _two_in_one, _moving, _too_large, _lying_size, _other)
    return [
        Sample(f"broken/{make.__name__[1:]}/{number + 1}.png", make(chance))
        for number in range(count)
        for make in [makers[number % len(makers)]]
    ]


def largest() -> list[Sample]:
    """Yield the largest accepted images of the kinds that need most memory."""
    red: Any = ((200, 30, 30),) * 4
    ground = Picture.new("RGB", HUGE, red[0])
    deep = Picture.new("I;16", HUGE, 200 * 257)
    return [
        Sample("largest/rgba/1.png", written(ground.convert("RGBA"), "PNG", compress_level=1), red),
        Sample("largest/sixteen bit/1.png", written(deep, "PNG", compress_level=1), ((200,) * 3,) * 4),
        Sample("largest/cmyk/1.jpg", written(ground.convert("CMYK"), "JPEG"), red),
        Sample("largest/progressive/1.jpg", written(ground, "JPEG", progressive=True), red),
        Sample("largest/webp/1.webp", written(ground, "WEBP", method=0), red),
    ]


def quarters(colors: Any) -> Picture.Image:
    """Return an image of four colours: top left and right, bottom left and right."""
    width, height = SIZE
    picture = Picture.new("RGB", SIZE)
    for number, color in enumerate(colors):
        left, top = number % 2 * width // 2, number // 2 * height // 2
        picture.paste(tuple(color), (left, top, left + width // 2, top + height // 2))
    return picture


def middles(picture: Picture.Image) -> list[Color]:
    """Return the colours in the middle of the quarters."""
    width, height = picture.size
    return [
        picture.getpixel((width * x // 4, height * y // 4))  # type: ignore[misc]
        for y in (1, 3)
        for x in (1, 3)
    ]


def written(picture: Picture.Image, kind: str, **options: Any) -> bytes:
    """Return an image as a file."""
    buffer = io.BytesIO()
    picture.save(buffer, kind, **options)
    return buffer.getvalue()


def _over_white(color: tuple[int, ...], alpha: int) -> Color:
    red, green, blue = (round((each * alpha + 255 * (255 - alpha)) / 255) for each in color)
    return red, green, blue


def _any(chance: random.Random) -> bytes:
    noise = Picture.frombytes("RGB", SIZE, chance.randbytes(SIZE[0] * SIZE[1] * 3))
    return written(noise, chance.choice(("PNG", "JPEG", "WEBP")))


def _cut(chance: random.Random) -> bytes:
    return damage.shortened(chance, _any(chance))


def _flipped(chance: random.Random) -> bytes:
    return damage.flipped(chance, _any(chance), 12)


def _two_in_one(chance: random.Random) -> bytes:
    tail = chance.choice(
        (b"<script>alert(1)</script>", b"<?php system($_GET[0]); ?>", b"PK\x05\x06" + b"\0" * 18)
    )
    return chance.choice((_any(chance) + tail, b"GIF89a/*" + tail, tail + _any(chance)))


def _moving(chance: random.Random) -> bytes:
    frames = [quarters([(chance.randrange(256),) * 3] * 4) for _ in range(3)]
    return written(frames[0], chance.choice(("PNG", "WEBP", "GIF")), save_all=True, append_images=frames[1:])


def _too_large(chance: random.Random) -> bytes:
    """Few bytes, many pixels."""
    side = chance.choice((7_000, 13_000))
    rows = zlib.compress(b"\0" * ((side // 8 + 1) * side), 1)
    return _png(side, side, 1, 0, rows)


def _lying_size(chance: random.Random) -> bytes:
    """A header that declares a wrong size."""
    width, height = chance.choice(
        ((100_000, 100_000), (2**31 - 1, 1), (0, 0), (1, 40_000_000), (5_000, 5_000))
    )
    return _png(width, height, 8, chance.choice((0, 2, 3, 6)), zlib.compress(chance.randbytes(500)))


def _other(chance: random.Random) -> bytes:
    picture = quarters([(9, 9, 9)] * 4)
    texts = (
        b"",
        b"\0" * 100,
        b"Hello.",
        b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>",
        b"%PDF-1.7",
        b"MZ",
    )
    return chance.choice(
        (*texts, *(written(picture, kind) for kind in ("GIF", "BMP", "TIFF", "ICO", "EPS", "PPM")))
    )


def _png(width: int, height: int, depth: int, kind: int, data: bytes) -> bytes:
    head = struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", data), (b"IEND", b""))
    packed = (
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        for name, body in chunks
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(packed)

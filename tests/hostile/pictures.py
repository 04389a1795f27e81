"""Images of every accepted kind with their expected colours, and invalid files."""

from __future__ import annotations

import io
import random
import struct
import zlib
from dataclasses import dataclass
from typing import Any, Final

from PIL import Image as Picture

from tests.hostile.archives import changed

Color = tuple[int, int, int]
SIZE: Final = (48, 32)
_UNDO: Final = {2: 0, 3: 3, 4: 1, 5: 5, 6: 2, 7: 6, 8: 4}
"""The transformation that each EXIF orientation undoes."""

WAYS: Final = (
    *(("PNG", mode) for mode in ("RGB", "RGBA", "P", "L", "LA", "1", "I;16")),
    *(("JPEG", mode) for mode in ("RGB", "L", "CMYK", "progressive")),
    *(("WEBP", mode) for mode in ("RGB", "RGBA")),
    *((kind, f"turned {turn}") for kind in ("PNG", "JPEG", "WEBP") for turn in range(2, 9)),
)


@dataclass(frozen=True)
class Sample:
    """A file, and the expected colours in the middle of its quarters, if known."""

    name: str
    contents: bytes
    colors: tuple[Color, ...] = ()


def valid(chance: random.Random, count: int) -> list[Sample]:
    """Yield valid images: formats, modes, orientations, transparency, 16 bits."""
    return [_valid(chance, *WAYS[number % len(WAYS)], number + 1) for number in range(count)]


def _valid(chance: random.Random, kind: str, mode: str, number: int) -> Sample:
    grey = mode in ("L", "LA", "1", "I;16")
    tones = [chance.choice((0, 255)) if mode == "1" else chance.randrange(256) for _ in range(12)]
    colors: list[Color] = [
        (tones[n],) * 3 if grey else (tones[n], tones[n + 4], tones[n + 8]) for n in range(4)
    ]
    options: dict[str, Any] = {"PNG": {}, "JPEG": {"quality": 95, "subsampling": 0}}.get(
        kind, {"quality": 95, "lossless": True}
    )
    plain = quarters(colors)
    if mode in ("RGBA", "LA"):
        alphas = [chance.randrange(256) for _ in range(4)]
        plain = plain.convert(mode[:-1])
        plain.putalpha(quarters([(alpha,) * 3 for alpha in alphas]).convert("L"))
        colors = [_over_white(color, alpha) for color, alpha in zip(colors, alphas, strict=True)]
    elif mode == "I;16":
        deep = Picture.new("I;16", SIZE)
        deep.putdata([tone * 257 for tone in plain.convert("L").tobytes()])
        plain = deep
    elif mode == "1":
        plain = plain.convert("1", dither=Picture.Dither.NONE)
    elif mode == "P":
        plain = plain.quantize(8)
    elif mode.startswith("turned"):
        turn = int(mode[-1])
        plain = plain.transpose(Picture.Transpose(_UNDO[turn]))
        options["exif"] = Picture.Exif()
        options["exif"][0x0112] = turn
    elif mode == "progressive":
        options["progressive"] = True
    else:
        plain = plain.convert(mode)
    return Sample(f"valid/{kind.lower()} {mode}/{number}", written(plain, kind, **options), tuple(colors))


def broken(chance: random.Random, count: int) -> list[Sample]:
    """Yield invalid files: not images, truncated, animated, too large, or ambiguous."""
    makers = (_cut, _flipped, _two_in_one, _moving, _too_large, _lying_size, _other)
    return [
        Sample(f"broken/{make.__name__[1:]}/{number + 1}.png", make(chance))
        for number in range(count)
        for make in [makers[number % len(makers)]]
    ]


def quarters(colors: list[Color]) -> Picture.Image:
    """Return an image of four colours: top left and right, bottom left and right."""
    width, height = SIZE
    drawn = Picture.new("RGB", SIZE)
    for number, color in enumerate(colors):
        left, top = number % 2 * width // 2, number // 2 * height // 2
        drawn.paste(color, (left, top, left + width // 2, top + height // 2))
    return drawn


def middles(drawn: Picture.Image) -> list[Color]:
    """Return the colours in the middle of the quarters."""
    width, height = drawn.size
    places = [(width * x // 4, height * y // 4) for y in (1, 3) for x in (1, 3)]
    return [drawn.getpixel(place) for place in places]  # type: ignore[misc]


def written(drawn: Picture.Image, kind: str, **options: Any) -> bytes:
    """Return an image as a file."""
    buffer = io.BytesIO()
    drawn.save(buffer, kind, **options)
    return buffer.getvalue()


def _over_white(color: Color, alpha: int) -> Color:
    red, green, blue = (round((tone * alpha + 255 * (255 - alpha)) / 255) for tone in color)
    return red, green, blue


def _any(chance: random.Random) -> bytes:
    noise = Picture.frombytes("RGB", SIZE, chance.randbytes(SIZE[0] * SIZE[1] * 3))
    return written(noise, chance.choice(("PNG", "JPEG", "WEBP")))


def _cut(chance: random.Random) -> bytes:
    whole = _any(chance)
    return whole[: chance.randrange(len(whole))]


def _flipped(chance: random.Random) -> bytes:
    return changed(chance, _any(chance), 12)


def _two_in_one(chance: random.Random) -> bytes:
    tails = (b"<script>alert(1)</script>", b"<?php system($_GET[0]); ?>", b"PK\x05\x06" + b"\0" * 18)
    tail = chance.choice(tails)
    return chance.choice((_any(chance) + tail, b"GIF89a/*" + tail, tail + _any(chance)))


def _moving(chance: random.Random) -> bytes:
    frames = [quarters([(chance.randrange(256),) * 3] * 4) for _ in range(3)]
    return written(frames[0], chance.choice(("PNG", "WEBP", "GIF")), save_all=True, append_images=frames[1:])


def _too_large(chance: random.Random) -> bytes:
    """Few bytes, many pixels."""
    side = chance.choice((7_000, 13_000))
    return _png(side, side, 1, 0, zlib.compress(b"\0" * ((side // 8 + 1) * side), 1))


def _lying_size(chance: random.Random) -> bytes:
    """A header that declares a wrong size."""
    sizes = ((100_000, 100_000), (2**31 - 1, 1), (0, 0), (1, 40_000_000), (5_000, 5_000))
    return _png(*chance.choice(sizes), 8, chance.choice((0, 2, 3, 6)), zlib.compress(chance.randbytes(500)))


def _other(chance: random.Random) -> bytes:
    texts = (b"", b"\0" * 100, b"Hello.", b"<svg onload='alert(1)'/>", b"%PDF-1.7", b"MZ")
    kinds = ("GIF", "BMP", "TIFF", "ICO", "EPS", "PPM")
    return chance.choice((*texts, *(written(quarters([(9, 9, 9)] * 4), kind) for kind in kinds)))


def _png(width: int, height: int, depth: int, kind: int, data: bytes) -> bytes:
    head = struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, 0)
    packed = (
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        for name, body in ((b"IHDR", head), (b"IDAT", data), (b"IEND", b""))
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(packed)

"""Hostile pictures, manifests and file names of a size, and how each is read, for the
benchmark of growth.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Final

from PIL import Image

PATTERN: Final = "{*}a{generator}a{*}a{prompt}a{*}a{number}a{*}a{prompt_group}a{*}"
"""Matches no name of one letter only, which has to be tried at every place."""


def _chunk(kind: bytes, contents: bytes) -> bytes:
    whole = kind + contents
    return struct.pack(">I", len(contents)) + whole + struct.pack(">I", zlib.crc32(whole))


def _png(kind: bytes, contents: bytes, times: int) -> bytes:
    header = _chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
    pixels = _chunk(b"IDAT", zlib.compress(b"\0\xff\0\0"))
    return b"\x89PNG\r\n\x1a\n" + header + _chunk(kind, contents) * times + pixels + _chunk(b"IEND", b"")


def _jpeg(segment: bytes, times: int) -> bytes:
    buffer = BytesIO()
    Image.new("RGB", (16, 16)).save(buffer, "JPEG")
    return buffer.getvalue()[:2] + segment * times + buffer.getvalue()[2:]


def png_of_packed_texts(size: int) -> bytes:
    """A picture with packed texts."""
    return _png(b"iTXt", b"a\0\1\0\0\0" + zlib.compress(b"x" * 1_000), size)


def png_of_empty_chunks(size: int) -> bytes:
    """A picture with private chunks without contents."""
    return _png(b"prIv", b"", size)


def jpeg_of_profiles(size: int) -> bytes:
    """A photo with parts of a colour profile."""
    return _jpeg(b"\xff\xe2\x00\x12ICC_PROFILE\0\x01\x01xx", size)


def jpeg_of_exif(size: int) -> bytes:
    """A photo with damaged EXIF blocks."""
    return _jpeg(b"\xff\xe1\x00\x0aExif\0\0xx", size)


def jpeg_of_scans(size: int) -> bytes:
    """A progressive photo whose last scan is repeated."""
    buffer = BytesIO()
    Image.new("L", (512, 512)).save(buffer, "JPEG", progressive=True)
    whole = buffer.getvalue()
    scan = whole[whole.rfind(b"\xff\xda") : -2]
    return whole[:-2] + scan * size + whole[-2:]


def manifest_of_one_file(size: int) -> bytes:
    """A manifest that names the same file in every row."""
    return b"file,generator,prompt,number\n" + b"a.png,g,p,1\n" * size


def manifest_of_many_columns(size: int) -> bytes:
    """A manifest with as many further columns as a table may have."""
    more = ",".join(f"h{number}" for number in range(490))
    return f"file,generator,prompt,number,{more}\n".encode() + b"a.png,g,p,1\n" * size


def names_without_a_match(size: int) -> bytes:
    """File names that a pattern tries to match at every place."""
    return f"{'a' * 250}.png\n".encode() * size


def _drawn(path: Path) -> str:
    from annotator.images.decoding import UnreadableImage, decode_contents
    from annotator.images.encoding import draw_display

    try:
        decode_contents(path.read_bytes(), max_pixels=10**6)
        return f"{len(draw_display(path.read_bytes(), max_pixels=10**6, max_side=1600)):,} bytes"
    except UnreadableImage as refused:
        return refused.reason


def _listed(path: Path) -> str:
    from annotator.exchange.formats.manifest import entries_in

    return f"{len(list(entries_in(path))):,} rows"


def _named(path: Path) -> str:
    from annotator.uploads.patterns import misfit

    return f"{sum(bool(misfit(PATTERN, name)) for name in path.read_text().splitlines()):,} misfits"


Maker = Callable[[int], bytes]
READERS: Final[dict[Maker, tuple[int, str, Callable[[Path], str]]]] = {
    png_of_packed_texts: (1_000, ".png", _drawn),
    png_of_empty_chunks: (5_000, ".png", _drawn),
    jpeg_of_profiles: (2_000, ".jpg", _drawn),
    jpeg_of_exif: (2_000, ".jpg", _drawn),
    jpeg_of_scans: (50, ".jpg", _drawn),
    manifest_of_one_file: (10_000, ".csv", _listed),
    manifest_of_many_columns: (300, ".csv", _listed),
    names_without_a_match: (2, ".txt", _named),
}
"""The base size, taken 1 to 8 times, the extension, and the reader."""

"""Formats that are not accepted, known by their first bytes, with what to do about each."""

from __future__ import annotations

from typing import Final

LONGEST_START: Final = 32
"""Bytes that decide."""

_LOSSLESS: Final = "convert it to PNG, which loses nothing"
_HEIC: Final = (
    "a HEIC photo: convert it to JPEG (on a Mac: Quick Actions, Convert Image; on an iPhone, for new photos: "
    "Settings, Camera, Formats, Most Compatible)"
)
_GIF: Final = "a GIF image: export the frame to be annotated as PNG"
_AVIF: Final = f"an AVIF image: {_LOSSLESS}"
_BRANDS: Final = {
    **dict.fromkeys((b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1"), _HEIC),
    **dict.fromkeys((b"avif", b"avis"), _AVIF),
}
_STARTS: Final = (
    (b"GIF8", _GIF),
    (b"II*\0", f"a TIFF or raw image: {_LOSSLESS}"),
    (b"MM\0*", f"a TIFF or raw image: {_LOSSLESS}"),
    (b"BM", f"a BMP image: {_LOSSLESS}"),
    (b"\xff\x0a", f"a JPEG XL image: {_LOSSLESS}"),
    (b"\0\0\0\x0cJXL ", f"a JPEG XL image: {_LOSSLESS}"),
    (b"\0\0\0\x0cjP  ", f"a JPEG 2000 image: {_LOSSLESS}"),
    (b"8BPS", "a Photoshop document: export it as PNG"),
    (b"%PDF", "a PDF document: export its image as PNG"),
    (b"<svg", "an SVG drawing: export it as PNG in the size to be annotated"),
)


def what_to_do(contents: bytes) -> str:
    """Return the format found and what to do, for a file that is not a PNG, JPEG or WebP image."""
    start = contents[:LONGEST_START]
    if start[4:8] == b"ftyp":
        # The major brand, then the compatible ones after the version.
        brands = [start[8:12], *(start[place : place + 4] for place in range(16, len(start), 4))]
        found = next((_BRANDS[brand] for brand in brands if brand in _BRANDS), None)
        if found:
            return f"{found}; PNG, JPEG and WebP are accepted"
    for beginning, words in _STARTS:
        if start.startswith(beginning):
            return f"{words}; PNG, JPEG and WebP are accepted"
    return "not a PNG, JPEG or WebP image"

"""Render display copies, and scale down large images.

Scaling runs in the decoding process: the same bytes and limit always give the same result, so that a retry
stores what was checked.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from io import BytesIO
from math import isqrt
from typing import Any, Final

from PIL import Image as Pictures
from PIL import ImageFilter
from PIL.Image import Image as Picture

from annotator.images.decoding import (
    DecodedImage,
    blaming_file,
    check_header,
    content_hash,
    decode_contents,
    load_picture,
    turn_of,
    upright_size,
)

# Beside quality 82 and effort 4 on the published study: half the time, 12% more bytes, and at least as
# similar to the original (`benchmarks/bench_display.py`).
DISPLAY_QUALITY: Final = 84
DISPLAY_EFFORT: Final = 2
JPEG_QUALITY: Final = 92

SIXTEEN_BIT: Final = ("I", "I;16", "I;16L", "I;16B", "I;16N")
LARGEST_PROFILE: Final = 64 * 1024
"""Bytes of a colour profile in copies; the largest of sRGB has 60,960. PNG packs 1 MB into 1 KB."""
BLUR_PARTS: Final = 6
"""The blur's standard deviation is this part of the longer side of the rectangle."""
COLOURED: Final = ("RGB", "RGBA", "P", "PA")
_BAND: Final = 256
"""Rows per band when flattening transparency."""


def draw_display(
    contents: bytes,
    *,
    max_pixels: int,
    max_side: int,
    hidden: Sequence[Sequence[int]] = (),
) -> bytes:
    """Return the display copy: WebP, upright, opaque, at most `max_side` pixels wide and high.

    Never enlarged; EXIF is dropped, because it may reveal the generator. A JPEG that is at least twice as
    large is decoded at a fraction of its size, unless `hidden` names rectangles to blur (as `blur`) in the
    upright image in its full size. Raises UnreadableImage.
    """
    picture = load_picture(contents, max_pixels, draft_side=0 if hidden else max_side)
    profile = _profile_of_copy(picture)
    with blaming_file(max_pixels):
        turn = turn_of(picture)
        if turn is not None:
            picture = picture.transpose(turn)
        flat = opaque(picture)
        del picture  # frees up to 4 bytes per pixel
        blur(flat, hidden)
        flat.thumbnail((max_side, max_side), Pictures.Resampling.LANCZOS)
        drawn = BytesIO()
        flat.save(drawn, "WEBP", quality=DISPLAY_QUALITY, method=DISPLAY_EFFORT, icc_profile=profile)
    return drawn.getvalue()


def blur(picture: Picture, boxes: Iterable[Sequence[int]]) -> None:
    """Blur rectangles (left, upper, right, lower) in place with a Gaussian, pasted back with a hard edge."""
    for left, upper, right, lower in boxes:
        box = (left, upper, right, lower)
        inside = picture.crop(box)
        # Only of the rectangle's own pixels, so that the surroundings do not lighten its rim.
        picture.paste(inside.filter(ImageFilter.GaussianBlur(max(inside.size) / BLUR_PARTS)), box)


def draw_jpeg(contents: bytes, *, max_pixels: int) -> bytes:
    """Return the display copy as JPEG, for browsers without WebP: same size, without chroma subsampling.

    Raises UnreadableImage.
    """
    picture = load_picture(contents, max_pixels)
    profile = _profile_of_copy(picture)
    drawn = BytesIO()
    opaque(picture).save(drawn, "JPEG", quality=JPEG_QUALITY, subsampling=0, icc_profile=profile)
    return drawn.getvalue()


def _profile_of_copy(picture: Picture) -> bytes:
    """Return the colour profile that a copy keeps; empty if it is too large."""
    # A colour profile applies only to its own mode.
    profile: bytes = (picture.info.get("icc_profile") or b"") if picture.mode in COLOURED else b""
    return profile if len(profile) <= LARGEST_PROFILE else b""


def opaque(picture: Picture) -> Picture:
    """Return the image as RGB on white, converted in bands to avoid full-size intermediate copies.

    A picture that is opaque RGB is returned itself.
    """
    if picture.mode == "RGB" and not picture.has_transparency_data:
        return picture
    width, height = picture.size
    flat = Pictures.new("RGB", picture.size)
    for top in range(0, height, _BAND):
        band = picture.crop((0, top, width, min(top + _BAND, height)))
        flat.paste(_opaque_band(band), (0, top))
    return flat


def _opaque_band(picture: Picture) -> Picture:
    if picture.mode in SIXTEEN_BIT:
        return eight_bit(picture).convert("RGB")
    if not picture.has_transparency_data:
        return picture.convert("RGB")
    ground = Pictures.new("RGBA", picture.size, "white")
    ground.alpha_composite(picture.convert("RGBA"))
    return ground.convert("RGB")


def eight_bit(picture: Picture) -> Picture:
    """Return a 16-bit grey picture with 8 bits."""
    # convert("L") would clip at 255 and leave a white page: scale 65535 to 255.
    scaled = picture.convert("I").point(lambda value: value * (1 / 257) + 0.5)
    return scaled.convert("L")


MOST_PIXELS: Final = 54_000_000
"""Pixels of the largest image that is scaled down: the most that reliably fits the decoding process."""

THUMBNAIL_SIDE: Final = 160
_THUMBNAIL_QUALITY: Final = 70
_HOW_SAVED: Final[dict[str, dict[str, Any]]] = {
    "JPEG": {"quality": 95, "subsampling": 0},
    "PNG": {"compress_level": 3},
    "WEBP": {"quality": 95, "method": 4},
}
_KEPT_MODES: Final = ("L", "LA", "RGB", "RGBA")


def target_size(width: int, height: int, max_pixels: int) -> tuple[int, int]:
    """Return the largest size of at most `max_pixels` with the same ratio of sides; never enlarges."""
    if width * height <= max_pixels:
        return width, height
    # In whole numbers: isqrt(w² · max / (w · h)) never exceeds the limit.
    return max(1, isqrt(width * max_pixels // height)), max(1, isqrt(height * max_pixels // width))


def scale_down(contents: bytes, *, max_pixels: int) -> DecodedImage:
    """Return an image scaled down to `max_pixels`: upright, without EXIF, in its own format and colours.

    `scaled_from` of the result describes the original. Raises UnreadableImage, also above MOST_PIXELS.
    """
    picture = load_picture(contents, MOST_PIXELS, draft_for=max_pixels)
    form = picture.format or ""
    profile = picture.info.get("icc_profile") if picture.mode in COLOURED else None
    with blaming_file(MOST_PIXELS):
        turn = turn_of(picture)
        flat = _plain_mode(picture)
        del picture  # frees up to 4 bytes per pixel
        if turn is not None:
            flat = flat.transpose(turn)
        size = target_size(*flat.size, max_pixels)
        scaled = flat.resize(size, Pictures.Resampling.LANCZOS)
        del flat
        drawn = BytesIO()
        scaled.save(drawn, form, icc_profile=profile or b"", **_HOW_SAVED[form])
    # Decoded again, so that what is stored is known to be readable.
    decoded = decode_contents(drawn.getvalue(), max_pixels=max_pixels)
    width, height = upright_size(check_header(contents, MOST_PIXELS))
    original = {"sha256": content_hash(contents), "format": form, "width": width, "height": height}
    return replace(decoded, scaled_from={**original, "bytes": len(contents)})


def draw_thumbnail(contents: bytes, *, max_pixels: int) -> bytes:
    """Return a small WebP of an image, at most THUMBNAIL_SIDE wide and high. Raises UnreadableImage."""
    picture = load_picture(contents, max_pixels, draft_for=4 * THUMBNAIL_SIDE**2)
    with blaming_file(max_pixels):
        turn = turn_of(picture)
        picture.thumbnail((THUMBNAIL_SIDE, THUMBNAIL_SIDE), Pictures.Resampling.BILINEAR, reducing_gap=2)
        small = opaque(picture if turn is None else picture.transpose(turn))
        drawn = BytesIO()
        small.save(drawn, "WEBP", quality=_THUMBNAIL_QUALITY, method=0)
    return drawn.getvalue()


def _plain_mode(picture: Picture) -> Picture:
    """Return a picture in a mode that can be resampled and saved in every accepted format."""
    if picture.mode in SIXTEEN_BIT:
        return eight_bit(picture)
    if picture.mode in _KEPT_MODES:
        return picture if picture.format != "WEBP" else picture.convert(_for_webp(picture))
    if picture.has_transparency_data:
        return picture.convert("RGBA")
    return picture.convert("L" if picture.mode == "1" else "RGB")


def _for_webp(picture: Picture) -> str:
    return "RGBA" if picture.has_transparency_data else "RGB"

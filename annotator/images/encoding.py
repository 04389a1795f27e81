"""Render display copies."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from io import BytesIO
from typing import Final

from PIL import Image as Pictures
from PIL import ImageCms, ImageFilter
from PIL.Image import Image as Picture

from annotator.images.decoding import blaming_file, load_picture, turn_of

# Beside quality 82 and effort 4, measured on the published study: half the time, 12% more bytes, and at least
# as similar to the original.
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
    picture = _without_cmyk(load_picture(contents, max_pixels, draft_side=0 if hidden else max_side))
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
    picture = _without_cmyk(load_picture(contents, max_pixels))
    profile = _profile_of_copy(picture)
    drawn = BytesIO()
    opaque(picture).save(drawn, "JPEG", quality=JPEG_QUALITY, subsampling=0, icc_profile=profile)
    return drawn.getvalue()


def _without_cmyk(picture: Picture) -> Picture:
    """Return a picture in printing colours as sRGB by its profile; any other, or without one, as it is."""
    profile = picture.info.get("icc_profile")
    if picture.mode != "CMYK" or not profile:
        return picture
    with suppress(ImageCms.PyCMSError, OSError):
        to = ImageCms.createProfile("sRGB")
        converted = ImageCms.profileToProfile(picture, BytesIO(profile), to, outputMode="RGB")
        if converted is not None:
            # Its EXIF still says how it is turned.
            converted.info = {name: value for name, value in picture.info.items() if name != "icc_profile"}
            return converted
    return picture


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

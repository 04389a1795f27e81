"""Render display copies: what annotators see instead of the original files."""

from __future__ import annotations

from io import BytesIO
from typing import Final

from PIL import Image as Pictures
from PIL.Image import Image as Picture

from annotator.images.decoding import UnreadableImage, load_picture, reason_of, turn_of
from annotator.work.machine_faults import blames_machine

DISPLAY_QUALITY: Final = 82
DISPLAY_EFFORT: Final = 4
JPEG_QUALITY: Final = 92

SIXTEEN_BIT: Final = ("I", "I;16", "I;16L", "I;16B", "I;16N")
COLOURED: Final = ("RGB", "RGBA", "P", "PA")
_BAND: Final = 256
"""Rows per band when flattening transparency."""


def draw_display(contents: bytes, *, max_pixels: int, max_side: int) -> bytes:
    """Return the display copy: WebP, upright, opaque, at most `max_side` pixels wide and high.

    Never enlarged; EXIF is dropped, because it may reveal the generator. Raises UnreadableImage.
    """
    picture = load_picture(contents, max_pixels)
    # A colour profile applies only to its own mode.
    profile = picture.info.get("icc_profile") if picture.mode in COLOURED else None
    try:
        turn = turn_of(picture)
        if turn is not None:
            picture = picture.transpose(turn)
        flat = opaque(picture)
        del picture  # frees up to 4 bytes per pixel
        flat.thumbnail((max_side, max_side), Pictures.Resampling.LANCZOS)
        drawn = BytesIO()
        flat.save(drawn, "WEBP", quality=DISPLAY_QUALITY, method=DISPLAY_EFFORT, icc_profile=profile or b"")
    except MemoryError:
        raise
    except Exception as error:
        if blames_machine(error):
            raise
        raise UnreadableImage(reason_of(error, max_pixels)) from error
    return drawn.getvalue()


def draw_jpeg(contents: bytes, *, max_pixels: int) -> bytes:
    """Return the display copy as JPEG, for browsers without WebP: same size, without chroma subsampling.

    Raises UnreadableImage.
    """
    picture = load_picture(contents, max_pixels)
    profile = picture.info.get("icc_profile") or b""
    drawn = BytesIO()
    opaque(picture).save(drawn, "JPEG", quality=JPEG_QUALITY, subsampling=0, icc_profile=profile)
    return drawn.getvalue()


def opaque(picture: Picture) -> Picture:
    """Return the image as RGB on white, converted in bands to avoid full-size intermediate copies."""
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

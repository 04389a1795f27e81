"""Pictures as bytes: what is accepted, and how a copy for display is drawn from it.

The formats are few and the decoding is complete, because a picture that is broken half-way, animated
or shown in wrong tones is a wrong label later.
"""

from __future__ import annotations

import hashlib
import re
import warnings
from dataclasses import dataclass, field
from io import BytesIO
from typing import Final, Protocol

from PIL import Image as Pictures
from PIL import UnidentifiedImageError
from PIL.Image import Image as Picture

from annotator.work.machine_faults import MachineAtFault, blames_machine

FORMATS: Final = ("PNG", "JPEG", "WEBP")
SUFFIXES: Final = {"PNG": "png", "JPEG": "jpg", "WEBP": "webp"}

MOST_ASPECT: Final = 20
"""How many times the shorter side the longer one may be: nothing can be judged on a thread of pixels."""

_ORIENTATION: Final = 0x0112
# What EXIF's orientation asks for, by its value.
_TURNS: Final = {
    2: Pictures.Transpose.FLIP_LEFT_RIGHT,
    3: Pictures.Transpose.ROTATE_180,
    4: Pictures.Transpose.FLIP_TOP_BOTTOM,
    5: Pictures.Transpose.TRANSPOSE,
    6: Pictures.Transpose.ROTATE_270,
    7: Pictures.Transpose.TRANSVERSE,
    8: Pictures.Transpose.ROTATE_90,
}
_QUARTER_TURNS: Final = tuple(_TURNS[value] for value in (5, 6, 7, 8))
_PIXELS_IN_MESSAGE: Final = re.compile(r"\(([0-9]+) pixels\)")
_SIXTEEN_BIT: Final = ("I", "I;16", "I;16L", "I;16B", "I;16N")
_COLOURED: Final = ("RGB", "RGBA", "P", "PA")
_DISPLAY_QUALITY: Final = 82
_DISPLAY_EFFORT: Final = 4
_JPEG_QUALITY: Final = 92
_BAND: Final = 256
"""Rows that are made opaque at once."""

# Every picture is held against a stricter limit of our own before its pixels are read.
warnings.filterwarnings("ignore", category=Pictures.DecompressionBombWarning)


class Readable(Protocol):
    """Whatever bytes can be read from: an open file, an upload, a file of the storage."""

    def read(self, size: int, /) -> bytes:
        """At most `size` bytes."""
        ...


class UnreadableImage(ValueError):
    """A file that is not taken as a picture; `reason` says why, for people."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class DecoderUnavailable(MachineAtFault):
    """The machine decodes no picture just now, whatever the picture; the message says why, for people."""


@dataclass(frozen=True)
class DecodedImage:
    """A picture that was decoded to its last pixel.

    `width` and `height` in pixels as the picture is looked at, that is after EXIF orientation;
    `sha256` in hexadecimal, of the file as it came, which `contents` holds.
    """

    contents: bytes = field(repr=False)
    sha256: str
    format: str
    width: int
    height: int

    @property
    def suffix(self) -> str:
        """The file name's ending that fits the content, whatever the file was called."""
        return SUFFIXES[self.format]


def read_limited(file: Readable, *, max_bytes: int) -> bytes:
    """The whole of a file. Raises UnreadableImage if it is empty or larger than `max_bytes`."""
    contents = file.read(max_bytes + 1)
    if not contents:
        raise UnreadableImage("the file is empty")
    if len(contents) > max_bytes:
        raise UnreadableImage(f"the file is larger than {max_bytes:,} bytes")
    return contents


def content_hash(contents: bytes) -> str:
    """SHA-256 in hexadecimal: what names a file in the store."""
    return hashlib.sha256(contents).hexdigest()


def decode_image(file: Readable, *, max_pixels: int, max_bytes: int) -> DecodedImage:
    """Read and decode a picture completely. Raises UnreadableImage, and nothing else, for a bad file."""
    return decode_contents(read_limited(file, max_bytes=max_bytes), max_pixels=max_pixels)


def decode_contents(contents: bytes, *, max_pixels: int) -> DecodedImage:
    """As `decode_image`, of a file that has been read: a picture that people can look at, no strip."""
    picture = _load(contents, max_pixels)
    width, height = picture.size
    if _turn(picture) in _QUARTER_TURNS:
        width, height = height, width
    if max(width, height) > MOST_ASPECT * min(width, height):
        raise UnreadableImage(
            f"{width:,} × {height:,} is a strip; one side is at most {MOST_ASPECT} times the other"
        )
    return DecodedImage(contents, content_hash(contents), picture.format or "", width, height)


def draw_display(contents: bytes, *, max_pixels: int, max_side: int) -> bytes:
    """The copy for display: WebP, upright, opaque, at most `max_side` pixels wide and high.

    Never enlarged; EXIF is dropped, because it may tell who made the picture. Raises UnreadableImage.
    """
    picture = _load(contents, max_pixels)
    # A profile describes the colours of its own mode only.
    profile = picture.info.get("icc_profile") if picture.mode in _COLOURED else None
    try:
        turn = _turn(picture)
        if turn is not None:
            picture = picture.transpose(turn)
        flat = _opaque(picture)
        del picture  # up to 4 bytes a pixel, which the copy does not need beside its own
        flat.thumbnail((max_side, max_side), Pictures.Resampling.LANCZOS)
        drawn = BytesIO()
        flat.save(drawn, "WEBP", quality=_DISPLAY_QUALITY, method=_DISPLAY_EFFORT, icc_profile=profile or b"")
    except MemoryError:
        raise
    except Exception as error:
        if blames_machine(error):
            raise
        raise UnreadableImage(_reason(error, max_pixels)) from error
    return drawn.getvalue()


def draw_jpeg(contents: bytes, *, max_pixels: int) -> bytes:
    """The copy for display again as JPEG, for browsers without WebP: as large, without coarser colours.

    Raises UnreadableImage.
    """
    picture = _load(contents, max_pixels)
    profile = picture.info.get("icc_profile") or b""
    drawn = BytesIO()
    _opaque(picture).save(drawn, "JPEG", quality=_JPEG_QUALITY, subsampling=0, icc_profile=profile)
    return drawn.getvalue()


def _load(contents: bytes, max_pixels: int) -> Picture:
    try:
        _check_header(_open(contents), max_pixels)
        # verify() finds what load() does not (a missing end of a PNG) and the other way round (a
        # half JPEG); it leaves the picture unusable, so it gets one of its own.
        _open(contents).verify()
        picture = _open(contents)
        picture.load()
    except (UnreadableImage, MemoryError):
        raise  # where memory is short, no file is to blame
    except Exception as error:
        if blames_machine(error):
            raise
        raise UnreadableImage(_reason(error, max_pixels)) from error
    return picture


def _turn(picture: Picture) -> Pictures.Transpose | None:
    try:
        return _TURNS.get(picture.getexif().get(_ORIENTATION, 1))
    except Exception:  # noqa: BLE001
        # Damaged EXIF beside whole pixels: the picture is shown as it is stored.
        return None


def _open(contents: bytes) -> Picture:
    return Pictures.open(BytesIO(contents), formats=FORMATS)


def _check_header(picture: Picture, max_pixels: int) -> None:
    width, height = picture.size
    if width * height > max_pixels:
        raise UnreadableImage(
            f"{width} × {height} is {width * height:,} pixels; at most {max_pixels:,} are read"
        )
    frames = getattr(picture, "n_frames", 1)
    if frames > 1:
        raise UnreadableImage(f"it holds {frames} pictures; only single ones are read")


def _reason(error: Exception, max_pixels: int) -> str:
    if isinstance(error, UnidentifiedImageError):
        return "not a PNG, JPEG or WebP picture"
    if isinstance(error, Pictures.DecompressionBombError):
        found = _PIXELS_IN_MESSAGE.search(str(error))
        pixels = f"{int(found[1]):,} pixels" if found else "too many pixels"
        return f"{pixels}; at most {max_pixels:,} are read"
    return f"broken: {str(error)[:200] or type(error).__name__}"


def _opaque(picture: Picture) -> Picture:
    """The picture as RGB on white, made in bands: whole copies in between would take as much again each."""
    width, height = picture.size
    flat = Pictures.new("RGB", picture.size)
    for top in range(0, height, _BAND):
        band = picture.crop((0, top, width, min(top + _BAND, height)))
        flat.paste(_opaque_band(band), (0, top))
    return flat


def _opaque_band(picture: Picture) -> Picture:
    if picture.mode in _SIXTEEN_BIT:
        return _eight_bit(picture).convert("RGB")
    if not picture.has_transparency_data:
        return picture.convert("RGB")
    ground = Pictures.new("RGBA", picture.size, "white")
    ground.alpha_composite(picture.convert("RGBA"))
    return ground.convert("RGB")


def _eight_bit(picture: Picture) -> Picture:
    # convert("L") alone would cut at 255 and leave a white page: 65535 must become 255 by scaling.
    scaled = picture.convert("I").point(lambda value: value * (1 / 257) + 0.5)
    return scaled.convert("L")

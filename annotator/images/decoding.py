"""Decode image files, and say what to do about formats that are not accepted.

Few formats are accepted and files are decoded completely, because a truncated, animated or miscoloured image
leads to wrong annotations.
"""

from __future__ import annotations

import hashlib
import re
import warnings
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from math import ceil
from typing import Final, Protocol

from PIL import Image as Pictures
from PIL import UnidentifiedImageError
from PIL.Image import Image as Picture
from PIL.JpegImagePlugin import JpegImageFile

from annotator.work.machine_faults import MachineAtFault, blames_machine

LONGEST_START: Final = 32
"""Bytes that decide."""

_LOSSLESS: Final = "convert it to PNG, which loses nothing"
_HEIC: Final = (
    "a HEIC photo: convert it to JPEG (on a Mac: Quick Actions, Convert Image; on Windows: open it in Photos "
    "and save it as JPG; a whole folder: magick mogrify -format jpg *.heic; on an iPhone, for new photos: "
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


FORMATS: Final = ("PNG", "JPEG", "WEBP")
SUFFIXES: Final = {"PNG": "png", "JPEG": "jpg", "WEBP": "webp"}

MOST_ASPECT: Final = 20
"""Maximum ratio of the sides: a narrow strip cannot be judged."""

_ORIENTATION: Final = 0x0112
# Transposition by EXIF orientation.
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
_PNG: Final = b"\x89PNG\r\n\x1a\n"
_TEXTS: Final = (b"tEXt", b"zTXt", b"iTXt")
_PROFILE: Final = b"iCCP"
_LARGEST_CHUNK: Final = 1024 * 1024
_PIXELS_IN_MESSAGE: Final = re.compile(r"\(([0-9]+) pixels\)")

# A stricter limit is checked before the pixels are read.
warnings.filterwarnings("ignore", category=Pictures.DecompressionBombWarning)


class Readable(Protocol):
    """A source of bytes: an open file, an upload, a stored file."""

    def read(self, size: int, /) -> bytes:
        """Return at most `size` bytes."""
        ...


class UnreadableImage(ValueError):
    """A file that is not accepted as an image, with the `reason`."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class TookTooLong(UnreadableImage):
    """An image that a decoder did not finish in its time."""


EXHAUSTS: Final = "decoding it "
"""Start of the reason for an image that ended a decoder, or took all of its time or memory."""


class DecoderUnavailable(MachineAtFault):
    """The machine cannot decode any image at the moment."""


@dataclass(frozen=True)
class DecodedImage:
    """A completely decoded image.

    `width` and `height` are in pixels after EXIF orientation; `sha256` is that of the original file, `pixels`
    that of what it shows, both in hexadecimal.
    """

    sha256: str
    format: str
    width: int
    height: int
    pixels: str


def read_limited(file: Readable, *, max_bytes: int) -> bytes:
    """Read a whole file. Raises UnreadableImage if it is empty or larger than `max_bytes`."""
    contents = file.read(max_bytes + 1)
    if not contents:
        raise UnreadableImage("the file is empty")
    if len(contents) > max_bytes:
        raise UnreadableImage(f"the file is larger than {max_bytes:,} bytes")
    return contents


def content_hash(contents: bytes) -> str:
    """Return the SHA-256 in hexadecimal, which names a file in the storage."""
    return hashlib.sha256(contents).hexdigest()


def decode_contents(contents: bytes, *, max_pixels: int) -> DecodedImage:
    """Decode an image completely. Raises only UnreadableImage for an invalid file, or a narrow strip."""
    picture = load_picture(contents, max_pixels)
    width, height = upright_size(picture)
    check_ratio(width, height)
    digest = content_hash(contents)
    return DecodedImage(digest, picture.format or "", width, height, pixels_hash(picture))


def pixels_hash(picture: Picture) -> str:
    """Return the SHA-256 of the pixels in hexadecimal: equal for files that differ in their metadata only."""
    shown = picture.convert("RGBA") if picture.mode == "P" else picture
    digest = hashlib.sha256(f"{shown.mode} {shown.size} {turn_of(picture)}".encode())
    digest.update(shown.tobytes())
    return digest.hexdigest()


def upright_size(picture: Picture) -> tuple[int, int]:
    """Return width and height after EXIF orientation."""
    width, height = picture.size
    return (height, width) if turn_of(picture) in _QUARTER_TURNS else (width, height)


def check_ratio(width: int, height: int) -> None:
    """Raise UnreadableImage for a narrow strip."""
    if max(width, height) > MOST_ASPECT * min(width, height):
        raise UnreadableImage(
            f"{width:,} × {height:,} is too narrow; one side may be at most {MOST_ASPECT} times the other"
        )


@contextmanager
def blaming_file(max_pixels: int) -> Iterator[None]:
    """Raise UnreadableImage for what fails inside, unless the machine is at fault."""
    try:
        yield
    except (UnreadableImage, MemoryError):
        raise  # lack of memory is not the file's fault
    except Exception as error:
        if blames_machine(error):
            raise
        raise UnreadableImage(reason_of(error, max_pixels)) from error


def load_picture(contents: bytes, max_pixels: int, *, draft_side: int = 0) -> Picture:
    """Return the loaded picture. Raises UnreadableImage.

    `draft_side` lets a JPEG be loaded at a fraction of its size whose longer side still has this many pixels.
    """
    contents = _without_side_chunks(contents)
    with blaming_file(max_pixels):
        try:
            check_header(contents, max_pixels)
            # verify() finds faults that load() misses (a missing end of a PNG) and vice versa (half a
            # JPEG); it makes the image unusable, so it gets its own.
            _open(contents).verify()
            picture = _open(contents)
            if draft_side:
                longer, shorter = max(picture.size), min(picture.size)
                _draft(picture, ceil(draft_side**2 * shorter / longer))
            picture.load()
        except UnidentifiedImageError as error:
            raise UnreadableImage(what_to_do(contents)) from error
    return picture


def _draft(picture: Picture, pixels: int) -> None:
    width, height = picture.size
    share = min(1.0, (pixels / (width * height)) ** 0.5)
    # Returns the smallest fraction of the size that is at least this large; other formats ignore it.
    picture.draft(None, (ceil(width * share), ceil(height * share)))


def turn_of(picture: Picture) -> Pictures.Transpose | None:
    """Return the transposition that sets the picture upright by its EXIF orientation, if any."""
    try:
        return _TURNS.get(picture.getexif().get(_ORIENTATION, 1))
    except Exception:  # noqa: BLE001
        # Damaged EXIF with complete pixels: display the image as stored.
        return None


def _open(contents: bytes) -> Picture:
    picture = Pictures.open(BytesIO(contents), formats=FORMATS)
    # Phones and cameras add a preview or a depth map to a JPEG (MPO): the first picture is the photo.
    return JpegImageFile(BytesIO(contents)) if picture.format == "MPO" else picture


def _without_side_chunks(contents: bytes) -> bytes:
    """Return a PNG without texts and without a huge colour profile, at which Pillow refuses the picture."""
    if not contents.startswith(_PNG) or not any(kind in contents for kind in (*_TEXTS, _PROFILE)):
        return contents
    kept, place = [_PNG], len(_PNG)
    while place < len(contents):
        length, kind = int.from_bytes(contents[place : place + 4], "big"), contents[place + 4 : place + 8]
        chunk = contents[place : place + 12 + length]
        if kind not in _TEXTS and not (kind == _PROFILE and _unpacks_large(chunk[8:-4])):
            kept.append(chunk)
        place += 12 + length
    return b"".join(kept)


def _unpacks_large(profile: bytes) -> bool:
    _, _, packed = profile.partition(b"\0")
    try:
        return len(zlib.decompressobj().decompress(packed[1:], _LARGEST_CHUNK + 1)) > _LARGEST_CHUNK
    except zlib.error:
        return False


def check_header(contents: bytes, max_pixels: int) -> Picture:
    """Return the picture, not loaded. Raises UnreadableImage, and Pillow's errors."""
    picture = _open(contents)
    width, height = picture.size
    if width * height > max_pixels:
        size = f"{width:,} × {height:,} is {width * height:,} pixels"
        raise UnreadableImage(f"{size}; the limit is {max_pixels:,}: scale it down first")
    frames = getattr(picture, "n_frames", 1)
    if frames > 1:
        raise UnreadableImage(f"it holds {frames} frames; export the one to be judged as PNG")
    return picture


def reason_of(error: Exception, max_pixels: int) -> str:
    """Return the decoder's error as a reason for the person who chose the file."""
    if isinstance(error, Pictures.DecompressionBombError):
        found = _PIXELS_IN_MESSAGE.search(str(error))
        pixels = f"{int(found[1]):,} pixels" if found else "too many pixels"
        return f"{pixels}; the limit is {max_pixels:,}"
    return f"broken: {str(error)[:200] or type(error).__name__}"

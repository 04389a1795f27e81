"""What is accepted as a picture, what the copy for display looks like, and the process that draws it."""

from __future__ import annotations

import random
from io import BytesIO

import pytest
from PIL import Image as Picture
from PIL.ImageCms import ImageCmsProfile, createProfile

from annotator.images import drawing, encoding
from annotator.images.decoding import DecodedImage, UnreadableImage, decode_contents, read_limited, what_to_do
from annotator.images.encoding import draw_display, draw_jpeg
from tests.annotator.uploads.bringing import encoded
from tests.factories import png_bytes

PIXELS = 40_000_000


def quadrants() -> Picture.Image:
    """40 x 20 pixels, upright: red and green above, blue and yellow below."""
    picture = Picture.new("RGB", (40, 20), "red")
    picture.paste("green", (20, 0, 40, 10))
    picture.paste("blue", (0, 10, 20, 20))
    picture.paste("yellow", (20, 10, 40, 20))
    return picture


def decoded(contents: bytes, pixels: int = PIXELS) -> DecodedImage:
    return decode_contents(contents, max_pixels=pixels)


def drawn(contents: bytes, side: int = 1600) -> Picture.Image:
    picture = Picture.open(BytesIO(draw_display(contents, max_pixels=PIXELS, max_side=side)))
    picture.load()
    assert (picture.format, picture.mode) == ("WEBP", "RGB")
    return picture


def near(picture: Picture.Image, at: tuple[int, int], color: tuple[int, int, int]) -> bool:
    """Whether a pixel has a colour, as far as a lossy format goes."""
    found = picture.getpixel(at)
    assert isinstance(found, tuple)
    return all(abs(have - want) <= 24 for have, want in zip(found, color, strict=True))


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_the_three_formats(kind: str) -> None:
    image = decoded(encoded(quadrants(), kind))
    assert (image.format, image.width, image.height) == (kind, 40, 20)
    assert len(image.sha256) == 64


@pytest.mark.filterwarnings("ignore:Corrupt EXIF data")
def test_damaged_exif_beside_whole_pixels() -> None:
    contents = encoded(quadrants(), "JPEG", exif=b"Exif\0\0MM\0*\xff\xff\xff\xff")
    assert (decoded(contents).width, drawn(contents).size) == (40, (40, 20))


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
@pytest.mark.parametrize("part", [0.1, 0.5, 0.9, 0.999])
def test_every_cut_is_found(kind: str, part: float) -> None:
    noise = Picture.effect_noise((200, 200), 80).convert("RGB")
    contents = encoded(noise, kind)
    with pytest.raises(UnreadableImage):
        decoded(contents[: int(len(contents) * part)])
    with pytest.raises(UnreadableImage):
        draw_display(contents[: int(len(contents) * part)], max_pixels=PIXELS, max_side=100)


@pytest.mark.parametrize("kind", ["PNG", "WEBP"])
def test_a_picture_that_moves_is_refused(kind: str) -> None:
    frames = [Picture.new("RGB", (5, 5), colour) for colour in ("red", "blue", "green")]
    with pytest.raises(UnreadableImage, match="it holds 3 frames; export the one to be judged"):
        decoded(encoded(frames[0], kind, save_all=True, append_images=frames[1:]))


def test_size_is_checked_before_the_pixels_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    contents = encoded(Picture.new("1", (100, 50)))

    def never(*_: object) -> None:
        raise AssertionError("the pixels were read")

    monkeypatch.setattr("PIL.PngImagePlugin.PngImageFile.load", never)
    with pytest.raises(UnreadableImage) as caught:
        decoded(contents, pixels=4999)
    assert caught.value.reason == "100 × 50 is 5,000 pixels; the limit is 4,999: scale it down first"


@pytest.mark.parametrize("size", [(1, 20_000), (20_000, 1), (21, 1), (10, 201)])
def test_a_strip_is_no_picture_to_judge(size: tuple[int, int]) -> None:
    with pytest.raises(UnreadableImage) as caught:
        decoded(encoded(Picture.new("1", size)))
    assert caught.value.reason == (
        f"{size[0]:,} × {size[1]:,} is too narrow; one side may be at most 20 times the other"
    )
    # One that was taken before is still drawn.
    assert drawn(encoded(Picture.new("RGB", size)), side=100).size


@pytest.mark.parametrize("size", [(20, 1), (10, 200), (1, 1)])
def test_a_long_picture_is_one(size: tuple[int, int]) -> None:
    assert decoded(encoded(Picture.new("1", size))).width == size[0]


def test_bytes_are_limited() -> None:
    assert read_limited(BytesIO(b"123"), max_bytes=3) == b"123"
    with pytest.raises(UnreadableImage) as caught:
        read_limited(BytesIO(b"1234"), max_bytes=3)
    assert caught.value.reason == "the file is larger than 3 bytes"


@pytest.mark.parametrize(
    ("size", "shown"),
    [
        ((400, 200), (100, 50)),
        ((200, 400), (50, 100)),
        ((100, 100), (100, 100)),
        ((7, 3), (7, 3)),
        ((4000, 1), (100, 1)),
    ],
)
def test_the_copy_is_never_enlarged(size: tuple[int, int], shown: tuple[int, int]) -> None:
    assert drawn(encoded(Picture.new("RGB", size)), side=100).size == shown


def test_a_transparent_colour_of_a_palette_becomes_white() -> None:
    flat = Picture.new("P", (32, 16), 1)
    flat.putpalette([200, 0, 0, 0, 0, 0])
    flat.paste(0, (0, 0, 16, 16))
    shown = drawn(encoded(flat, transparency=0))
    assert near(shown, (5, 8), (255, 255, 255))
    assert near(shown, (26, 8), (0, 0, 0))


def test_nothing_tells_where_a_picture_is_from() -> None:
    exif = Picture.Exif()
    exif[0x010E], exif[0x0131] = "a prompt", "a generator"
    profile = ImageCmsProfile(createProfile("sRGB")).tobytes()
    contents = encoded(quadrants(), "JPEG", exif=exif, comment=b"a prompt", icc_profile=profile)
    copy = draw_display(contents, max_pixels=PIXELS, max_side=100)
    assert b"a prompt" not in copy
    assert b"a generator" not in copy
    assert b"EXIF" not in copy
    # The colours keep their meaning.
    assert Picture.open(BytesIO(copy)).info["icc_profile"] == profile


def test_a_profile_of_another_mode_is_left_out() -> None:
    profile = ImageCmsProfile(createProfile("sRGB")).tobytes()
    copy = draw_display(
        encoded(Picture.new("L", (8, 8)), "JPEG", icc_profile=profile), max_pixels=PIXELS, max_side=100
    )
    assert "icc_profile" not in Picture.open(BytesIO(copy)).info


@pytest.mark.parametrize("hidden", [[], [(0, 0, 2, 2)]])
@pytest.mark.parametrize(("size", "kept"), [(encoding.LARGEST_PROFILE, True), (1_000_000, False)])
def test_large_profiles_are_left_out(size: int, kept: bool, hidden: list[tuple[int, int, int, int]]) -> None:
    profile = ImageCmsProfile(createProfile("sRGB")).tobytes().ljust(size, b"\0")
    contents = encoded(quadrants(), "PNG", icc_profile=profile)
    assert len(contents) < 5_000
    assert Picture.open(BytesIO(contents)).info["icc_profile"] == profile
    copy = draw_display(contents, max_pixels=PIXELS, max_side=100, hidden=hidden)
    assert Picture.open(BytesIO(copy)).info.get("icc_profile") == (profile if kept else None)
    # A copy from before may have it.
    jpeg = draw_jpeg(encoded(quadrants(), "WEBP", icc_profile=profile), max_pixels=PIXELS)
    assert Picture.open(BytesIO(jpeg)).info.get("icc_profile") == (profile if kept else None)


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "LA", "P", "L", "CMYK", "I;16", "1"])
def test_bands_change_nothing(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A picture is made opaque in bands, so that a large one takes little memory."""
    noise = Picture.frombytes("RGBA", (31, 40), random.Random(7).randbytes(31 * 40 * 4))
    picture = noise.convert("L").convert("I;16") if mode == "I;16" else noise.convert(mode)
    contents = encoded(picture, "JPEG" if mode == "CMYK" else "PNG")
    whole = draw_display(contents, max_pixels=PIXELS, max_side=1600)
    monkeypatch.setattr(encoding, "_BAND", 7)
    assert draw_display(contents, max_pixels=PIXELS, max_side=1600) == whole


@pytest.mark.parametrize(
    ("start", "named"),
    [
        (b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", "HEIC"),
        (b"\0\0\0\x1cftypmif1\0\0\0\0mif1avif", "HEIC"),
        (b"\0\0\0\x1cftypavif\0\0\0\0mif1miaf", "AVIF"),
        (b"GIF89a", "GIF"),
        (b"\0\0\0\x0cJXL \r\n", "JPEG XL"),
        (b"\0\0\0\x18ftyp", "not a PNG"),
        (b"", "not a PNG"),
    ],
)
def test_other_formats_are_named_with_what_to_do(start: bytes, named: str) -> None:
    said = what_to_do(start)
    assert named in said
    assert ("convert" in said or "export" in said) is (named != "not a PNG")


def test_printing_colours_become_those_of_a_screen() -> None:
    """Without a profile by the usual formula; no profile is copied into the other colours."""
    contents = encoded(Picture.new("CMYK", (9, 7), (0, 255, 255, 0)), "JPEG", quality=100)
    shown = Picture.open(BytesIO(draw_display(contents, max_pixels=PIXELS, max_side=1600)))
    red, green, blue = shown.convert("RGB").getpixel((4, 3))  # type: ignore[misc]
    assert (red > 240, green < 15, blue < 15) == (True, True, True)
    assert "icc_profile" not in shown.info


def test_a_broken_profile_of_printing_colours_is_passed_over() -> None:
    contents = encoded(Picture.new("CMYK", (9, 7), (0, 255, 255, 0)), "JPEG", icc_profile=b"no profile")
    assert Picture.open(BytesIO(draw_display(contents, max_pixels=PIXELS, max_side=1600))).size == (9, 7)


MOST = 5_000
"""Pixels; of no other test, so that the processes are this module's."""


@pytest.mark.parametrize(
    ("contents", "reason"),
    [(b"\n\n\n", "not a PNG, JPEG or WebP image"), (png_bytes((100, 100)), r"10,000 pixels.*5,000")],
)
def test_a_process_tells_a_refusal_as_it_is(contents: bytes, reason: str) -> None:
    with pytest.raises(UnreadableImage, match=reason):
        drawing.draw_display(contents, max_pixels=MOST, max_side=10)

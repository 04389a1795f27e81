"""Scaling down: the same bytes every time, upright, in the same format and colours, within the limit."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import pytest
from PIL import Image as Picture
from PIL.ImageCms import ImageCmsProfile, createProfile

from annotator.images import encoding
from annotator.images.decoding import TooManyPixels, UnreadableImage, decode_contents, what_to_do
from annotator.images.encoding import THUMBNAIL_SIDE, draw_thumbnail, scale_down, target_size
from tests.annotator.images.test_decoding import encoded, quadrants

LIMIT = 5_000


def large(mode: str = "RGB", size: tuple[int, int] = (160, 80)) -> Picture.Image:
    return quadrants().resize(size).convert(mode)


@pytest.mark.parametrize(
    ("size", "most"),
    [((6000, 4000), 18_000_000), ((8160, 6120), 18_000_000), ((5001, 1), LIMIT), ((7, 7), 48)],
)
def test_the_size_never_exceeds_the_limit_and_keeps_the_ratio(size: tuple[int, int], most: int) -> None:
    width, height = target_size(*size, most)
    assert width * height <= most
    assert abs(width / height - size[0] / size[1]) <= 0.002 * size[0] / size[1] or min(width, height) == 1
    assert target_size(width, height, most) == (width, height)


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_the_same_bytes_every_time(kind: str) -> None:
    contents = encoded(large(), kind)
    with pytest.raises(TooManyPixels) as caught:
        decode_contents(contents, max_pixels=LIMIT)
    assert (caught.value.format, caught.value.width, caught.value.height) == (kind, 160, 80)
    first, again = (scale_down(contents, max_pixels=LIMIT) for _ in range(2))
    assert first == again
    assert (first.format, first.width, first.height) == (kind, 100, 50)
    assert first.scaled_from is not None
    assert {name: first.scaled_from[name] for name in ("format", "width", "height", "bytes")} == {
        "format": kind,
        "width": 160,
        "height": 80,
        "bytes": len(contents),
    }
    assert first.scaled_from["sha256"] != first.sha256
    picture = Picture.open(BytesIO(first.contents)).convert("RGB")
    red, yellow = picture.getpixel((20, 10)), picture.getpixel((80, 40))
    assert isinstance(red, tuple)
    assert isinstance(yellow, tuple)
    assert red[0] > 200 > 60 > red[1]
    assert yellow[0] > 200 < yellow[1]


def test_a_photo_is_set_upright_and_loses_its_exif_but_not_its_colours() -> None:
    exif, profile = Picture.Exif(), ImageCmsProfile(createProfile("sRGB")).tobytes()
    exif[0x0112], exif[0x010F] = 6, "Maker"
    found = scale_down(encoded(large(), "JPEG", exif=exif, icc_profile=profile), max_pixels=LIMIT)
    assert (found.width, found.height) == (50, 100)
    assert found.scaled_from is not None
    assert (found.scaled_from["width"], found.scaled_from["height"]) == (80, 160)
    picture = Picture.open(BytesIO(found.contents))
    assert dict(picture.getexif()) == {}
    assert picture.info["icc_profile"] == profile


@pytest.mark.parametrize(
    ("mode", "kind", "saved"),
    [
        ("P", "PNG", "RGB"),
        ("1", "PNG", "L"),
        ("LA", "PNG", "LA"),
        ("RGBA", "PNG", "RGBA"),
        ("I;16", "PNG", "L"),
        ("CMYK", "JPEG", "RGB"),
        ("L", "JPEG", "L"),
        ("RGBA", "WEBP", "RGB"),  # opaque
    ],
)
def test_every_kind_of_pixels(mode: str, kind: str, saved: str) -> None:
    picture = Picture.new("I;16", (160, 80), 40_000) if mode == "I;16" else large(mode)
    found = scale_down(encoded(picture, kind), max_pixels=LIMIT)
    opened = Picture.open(BytesIO(found.contents))
    assert (opened.mode, opened.size) == (saved, (100, 50))
    if mode == "I;16":
        assert opened.getpixel((5, 5)) == 156  # 40,000 / 257, not clipped to white


def moving() -> bytes:
    frames = [Picture.new("RGB", (200, 100), colour) for colour in ("red", "blue")]
    return encoded(frames[0], "WEBP", save_all=True, append_images=frames[1:])


@pytest.mark.parametrize(
    ("contents", "reason"),
    [
        (moving(), "it holds 2 frames"),
        (encoded(large(), "JPEG")[:900], "broken"),
        (encoded(large())[:-30], "broken"),
        (encoded(large(size=(3000, 60))), "too narrow"),
        (b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", "HEIC"),
    ],
)
def test_what_cannot_be_scaled(contents: bytes, reason: str) -> None:
    with pytest.raises(UnreadableImage, match=reason):
        scale_down(contents, max_pixels=LIMIT)


def test_above_the_second_limit_it_is_refused_before_a_pixel_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoding, "MOST_PIXELS", 12_000)
    with pytest.raises(TooManyPixels, match="12,800 pixels; the limit is 12,000"):
        scale_down(encoded(large()), max_pixels=LIMIT)


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_thumbnails(kind: str) -> None:
    drawn = Picture.open(BytesIO(draw_thumbnail(encoded(large(size=(1600, 800)), kind), max_pixels=10**7)))
    assert (drawn.format, drawn.size) == ("WEBP", (THUMBNAIL_SIDE, THUMBNAIL_SIDE // 2))
    small = Picture.open(BytesIO(draw_thumbnail(encoded(quadrants(), kind), max_pixels=10**7)))
    assert small.size == (40, 20)


@pytest.mark.parametrize(
    ("start", "named"),
    [
        (b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", "HEIC"),
        (b"\0\0\0\x1cftypmif1\0\0\0\0mif1avif", "HEIC"),
        (b"\0\0\0\x1cftypavif\0\0\0\0mif1miaf", "AVIF"),
        (b"GIF89a", "GIF"),
        (b"MM\0*\0\0", "TIFF"),
        (b"BM6\0", "BMP"),
        (b"\0\0\0\x0cJXL \r\n", "JPEG XL"),
        (b"\0\0\0\x18ftypmp42", "not a PNG"),
        (b"\0\0\0\x18ftyp", "not a PNG"),
        (b"", "not a PNG"),
    ],
)
def test_other_formats_are_named_with_what_to_do(start: bytes, named: str) -> None:
    said = what_to_do(start)
    assert named in said
    assert ("convert" in said or "export" in said) is (named != "not a PNG")


@pytest.mark.slow
@pytest.mark.thorough
@pytest.mark.parametrize("how", [{"format": "JPEG", "progressive": True}, {"format": "JPEG"}])
def test_a_photo_of_50_megapixels_fits_the_decoding_process(how: dict[str, Any]) -> None:
    from annotator.images.decoding_process import Decoder

    buffer = BytesIO()
    Picture.effect_noise((1020, 765), 60).convert("RGB").resize((8160, 6120)).save(buffer, quality=90, **how)
    with Decoder(max_pixels=18_000_000) as decoder:
        with pytest.raises(TooManyPixels):
            decoder.decode(buffer.getvalue())
        found = decoder.scale(buffer.getvalue())
        assert (found.width, found.height) == (4898, 3674)
        assert decoder.check_scaled(buffer.getvalue()).sha256 == found.sha256

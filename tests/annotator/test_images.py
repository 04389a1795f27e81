"""Pictures: what is accepted, and what people are shown of it."""

from __future__ import annotations

import contextlib
import errno
import os
import random
import time
from datetime import timedelta
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.utils import timezone
from kombu.exceptions import OperationalError
from PIL import Image as Picture
from PIL.ImageCms import ImageCmsProfile, createProfile
from pytest_django.fixtures import Settings

from annotator import storage, tasks
from annotator.decoding import draw_display, read_limited
from annotator.images import (
    DecodedImage,
    UnreadableImage,
    decode_image,
    make_display,
    open_display,
    store_image,
)
from annotator.models import Image, Project
from annotator.storage import remove_abandoned, save_whole
from tests.factories import make_image, make_project

PIXELS = 40_000_000
BYTES = 64 * 1024 * 1024
ORIENTATION = 0x0112


@pytest.fixture(autouse=True)
def media(tmp_path: Path, settings: Settings) -> Path:
    settings.MEDIA_ROOT = tmp_path / "media"
    return tmp_path / "media"


def encoded(picture: Picture.Image, kind: str = "PNG", **options: Any) -> bytes:
    buffer = BytesIO()
    picture.save(buffer, kind, **options)
    return buffer.getvalue()


def quadrants() -> Picture.Image:
    """40 x 20 pixels, upright: red and green above, blue and yellow below."""
    picture = Picture.new("RGB", (40, 20), "red")
    picture.paste("green", (20, 0, 40, 10))
    picture.paste("blue", (0, 10, 20, 20))
    picture.paste("yellow", (20, 10, 40, 20))
    return picture


def decoded(contents: bytes, pixels: int = PIXELS) -> DecodedImage:
    return decode_image(BytesIO(contents), max_pixels=pixels, max_bytes=BYTES)


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


@pytest.mark.parametrize(("kind", "suffix"), [("PNG", "png"), ("JPEG", "jpg"), ("WEBP", "webp")])
def test_the_three_formats(kind: str, suffix: str) -> None:
    contents = encoded(quadrants(), kind)
    image = decoded(contents)
    assert (image.format, image.suffix, image.width, image.height) == (kind, suffix, 40, 20)
    assert image.contents == contents
    assert len(image.sha256) == 64


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_orientation(kind: str, orientation: int) -> None:
    undo = {2: 0, 3: 3, 4: 1, 5: 5, 6: 2, 7: 6, 8: 4}
    picture = quadrants()
    stored = picture.transpose(Picture.Transpose(undo[orientation])) if orientation > 1 else picture
    exif = Picture.Exif()
    exif[ORIENTATION] = orientation
    contents = encoded(stored, kind, exif=exif, **({} if kind == "PNG" else {"quality": 95}))
    image = decoded(contents)
    assert (image.width, image.height) == (40, 20)
    shown = drawn(contents)
    assert shown.size == (40, 20)
    corners = {(8, 4): (255, 0, 0), (32, 4): (0, 128, 0), (8, 15): (0, 0, 255), (32, 15): (255, 255, 0)}
    assert all(near(shown, at, color) for at, color in corners.items())


@pytest.mark.filterwarnings("ignore:Corrupt EXIF data")
def test_damaged_exif_beside_whole_pixels() -> None:
    contents = encoded(quadrants(), "JPEG", exif=b"Exif\0\0MM\0*\xff\xff\xff\xff")
    assert (decoded(contents).width, drawn(contents).size) == (40, (40, 20))


@pytest.mark.parametrize(
    ("contents", "reason"),
    [
        (b"", "the file is empty"),
        (b"Hello.", "not a PNG, JPEG or WebP picture"),
        (encoded(quadrants(), "GIF"), "not a PNG, JPEG or WebP picture"),
        (encoded(quadrants(), "TIFF"), "not a PNG, JPEG or WebP picture"),
        (b"\x89PNG\r\n\x1a\n", "not a PNG, JPEG or WebP picture"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "not a PNG, JPEG or WebP picture"),
    ],
)
def test_what_is_no_picture(contents: bytes, reason: str) -> None:
    with pytest.raises(UnreadableImage) as caught:
        decoded(contents)
    assert caught.value.reason == reason


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
@pytest.mark.parametrize("part", [0.1, 0.5, 0.9, 0.999])
def test_every_cut_is_found(kind: str, part: float) -> None:
    noise = Picture.effect_noise((200, 200), 80).convert("RGB")
    contents = encoded(noise, kind)
    with pytest.raises(UnreadableImage):
        decoded(contents[: int(len(contents) * part)])
    with pytest.raises(UnreadableImage):
        draw_display(contents[: int(len(contents) * part)], max_pixels=PIXELS, max_side=100)


def test_flipped_bytes_never_raise_anything_else() -> None:
    chance = random.Random(5)
    noise = Picture.effect_noise((40, 40), 80).convert("RGB")
    for kind in ("PNG", "JPEG", "WEBP"):
        whole = encoded(noise, kind)
        for _ in range(150):
            spoilt = bytearray(whole)
            for _ in range(3):
                spoilt[chance.randrange(len(spoilt))] = chance.randrange(256)
            with contextlib.suppress(UnreadableImage):
                decoded(bytes(spoilt))
                draw_display(bytes(spoilt), max_pixels=PIXELS, max_side=20)


@pytest.mark.parametrize("kind", ["PNG", "WEBP"])
def test_animations_are_refused(kind: str) -> None:
    frames = [Picture.new("RGB", (5, 5), color) for color in ("red", "blue", "green")]
    contents = encoded(frames[0], kind, save_all=True, append_images=frames[1:])
    with pytest.raises(UnreadableImage) as caught:
        decoded(contents)
    assert caught.value.reason == "it holds 3 pictures; only single ones are read"


def test_size_is_checked_before_the_pixels_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    contents = encoded(Picture.new("1", (100, 50)))

    def never(*_: object) -> None:
        raise AssertionError("the pixels were read")

    monkeypatch.setattr("PIL.PngImagePlugin.PngImageFile.load", never)
    with pytest.raises(UnreadableImage) as caught:
        decoded(contents, pixels=4999)
    assert caught.value.reason == "100 × 50 is 5,000 pixels; at most 4,999 are read"


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


def test_sixteen_bit_grey_is_scaled_not_cut() -> None:
    picture = Picture.new("I;16", (64, 16))
    for x in range(64):
        for y in range(16):
            picture.putpixel((x, y), (0, 257 * 100, 40_000, 65_535)[x // 16])
    shown = drawn(encoded(picture))
    greys = [shown.getpixel((8 + 16 * step, 8)) for step in range(4)]
    for found, expected in zip(greys, (0, 100, 156, 255), strict=True):
        assert isinstance(found, tuple)
        assert all(abs(value - expected) <= 6 for value in found)


def test_cmyk() -> None:
    shown = drawn(encoded(Picture.new("CMYK", (16, 16), (0, 255, 255, 0)), "JPEG"))
    assert near(shown, (8, 8), (255, 0, 0))


@pytest.mark.parametrize("mode", ["RGBA", "LA", "P"])
def test_what_is_transparent_becomes_white(mode: str) -> None:
    picture = Picture.new("RGBA", (32, 16), (0, 0, 0, 255))
    picture.paste((200, 0, 0, 0), (0, 0, 16, 16))
    options: dict[str, Any] = {}
    if mode == "P":
        flat = Picture.new("P", (32, 16), 1)
        flat.putpalette([200, 0, 0, 0, 0, 0])
        flat.paste(0, (0, 0, 16, 16))
        picture, options = flat, {"transparency": 0}
    elif mode == "LA":
        picture = picture.convert("LA")
    shown = drawn(encoded(picture, **options))
    assert near(shown, (5, 8), (255, 255, 255))
    assert near(shown, (26, 8), (0, 0, 0))


@pytest.mark.parametrize("mode", ["1", "L", "P", "RGB"])
def test_plain_modes(mode: str) -> None:
    assert near(drawn(encoded(Picture.new("RGB", (16, 16), "white").convert(mode))), (8, 8), (255, 255, 255))


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


@pytest.fixture
def project(db: None) -> Project:
    return make_project()


@pytest.fixture
def image(project: Project) -> Image:
    return store_image(
        project=project,
        decoded=decoded(encoded(quadrants())),
        source_name="a.png",
        generator="g",
        prompt="p",
        number=1,
    )


def test_a_copy_is_made_once(image: Image, media: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_display(image.pk)
    image.refresh_from_db()
    assert (image.display_state, image.display_error) == ("ready", "")
    assert image.display.name == f"display/{image.project_id}/{image.sha256[:2]}/{image.sha256}.webp"
    assert Picture.open(media / image.display.name).size == (40, 20)
    assert (media / image.display.name).stat().st_mode & 0o777 == 0o640

    def never(*_: object, **__: object) -> bytes:
        raise AssertionError("drawn again")

    monkeypatch.setattr("annotator.images.draw_display", never)
    make_display(image.pk)


def test_a_copy_that_was_lost_is_made_again(image: Image, media: Path) -> None:
    make_display(image.pk)
    image.refresh_from_db()
    (media / str(image.display.name)).unlink()
    with open_display(image) as file:
        assert Picture.open(file).size == (40, 20)


def test_opening_makes_what_is_not_there_yet(image: Image) -> None:
    with open_display(image) as file:
        assert file.read(4) == b"RIFF"
    assert image.display_state == "ready"


def test_an_image_that_is_gone_is_nothing_to_do(db: None) -> None:
    make_display(12345)


def test_an_original_that_is_gone_fails_with_the_reason(project: Project) -> None:
    image = make_image(project)
    make_display(image.pk)
    image.refresh_from_db()
    assert (image.display_state, image.display_error) == ("failed", "the original file is missing")
    with pytest.raises(UnreadableImage) as caught:
        open_display(image)
    assert caught.value.reason == "the original file is missing"


def test_an_original_that_was_damaged_fails_with_the_reason(project: Project) -> None:
    image = make_image(project)
    image.file.save("damaged.png", ContentFile(b"damaged"))
    make_display(image.pk)
    image.refresh_from_db()
    assert (image.display_state, image.display_error) == ("failed", "not a PNG, JPEG or WebP picture")


def test_a_full_disk_leaves_the_copy_pending(
    image: Image, media: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space"):
            make_display(image.pk)
    image.refresh_from_db()
    assert image.display_state == "pending"
    assert not (media / "display").exists()
    assert list((media / "partial").iterdir()) == []
    make_display(image.pk)
    image.refresh_from_db()
    assert image.display_state == "ready"


def test_a_file_appears_whole_or_not_at_all(media: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save_whole("a/b.bin", b"first")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space"):
            save_whole("a/b.bin", b"second")
    assert (media / "a" / "b.bin").read_bytes() == b"first"
    save_whole("a/b.bin", b"second")
    assert (media / "a" / "b.bin").read_bytes() == b"second"


def test_a_storage_without_paths_saves_once(monkeypatch: pytest.MonkeyPatch) -> None:
    saved: dict[str, bytes] = {}

    class Objects:
        def path(self, name: str) -> str:
            raise NotImplementedError

        def exists(self, name: str) -> bool:
            return name in saved

        def save(self, name: str, content: ContentFile[bytes]) -> None:
            saved[name] = content.read()

    monkeypatch.setattr(storage, "default_storage", Objects())
    save_whole("a", b"1")
    save_whole("a", b"1")
    assert saved == {"a": b"1"}
    assert remove_abandoned() == 0


def test_half_files_of_killed_processes_are_removed(media: Path) -> None:
    assert remove_abandoned() == 0
    save_whole("a", b"1")
    young, old = media / "partial" / "young", media / "partial" / "old"
    for path in (young, old):
        path.write_bytes(b"half")
    hours_ago = time.time() - 2 * 60 * 60
    os.utime(old, (hours_ago, hours_ago))
    assert remove_abandoned() == 1
    assert [path.name for path in (media / "partial").iterdir()] == ["young"]


def test_the_sweep_sends_what_waits(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[int] = []
    monkeypatch.setattr(tasks.make_display_task, "delay", sent.append)
    long_ago = timezone.now() - timedelta(minutes=1)
    images = [make_image(project) for _ in range(4)]
    Image.objects.filter(pk__in=[image.pk for image in images[:3]]).update(created_at=long_ago)
    Image.objects.filter(pk=images[0].pk).update(display_state="ready")
    Image.objects.filter(pk=images[1].pk).update(display_state="failed")
    assert tasks.sweep_images() == 1
    assert sent == [images[2].pk]


def test_the_sweep_survives_a_broker_that_is_down(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable(image_id: int) -> None:
        raise OperationalError("connection refused")

    monkeypatch.setattr(tasks.make_display_task, "delay", unreachable)
    make_image(project)
    Image.objects.update(created_at=timezone.now() - timedelta(minutes=1))
    assert tasks.sweep_images() == 0


def test_the_task_names_others_rely_on() -> None:
    assert tasks.make_display_task.name == "annotator.tasks.make_display"
    assert tasks.sweep_images.name == "annotator.tasks.sweep_images"


def test_the_task_draws(image: Image) -> None:
    tasks.make_display_task(image.pk)
    image.refresh_from_db()
    assert image.display_state == "ready"
    assert default_storage.exists(str(image.display.name))

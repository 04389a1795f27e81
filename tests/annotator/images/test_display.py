"""Originals and the copies that people are shown."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import time
from datetime import timedelta
from io import BytesIO
from pathlib import Path

import pytest
from django.utils import timezone
from PIL import Image as Picture
from PIL import ImageChops, ImageStat

from annotator import tasks
from annotator.images.decoding import UnreadableImage, load_picture
from annotator.images.decoding_process import Decoder
from annotator.images.display import make_displays, open_display, store_image
from annotator.images.drawing import close_idle
from annotator.images.encoding import draw_display
from annotator.images.storage import FilesTogether, remove_abandoned, save_whole
from annotator.models import Image, Project
from annotator.work.sending import MAKE_DISPLAY
from tests.factories import make_image, png_bytes
from tests.support.messages import ids_sent_to

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media")]


@pytest.fixture
def image(project: Project) -> Image:
    return stored(project, (40, 20))


def stored(project: Project, size: tuple[int, int]) -> Image:
    return store_image(
        project=project,
        contents=png_bytes(size),
        source_name="a.png",
        generator="g",
        prompt="p",
        number=size[1],
    )


def test_a_copy_is_made_once(image: Image, media: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_displays([image.pk])
    image.refresh_from_db()
    assert (image.display_state, image.display_error) == ("ready", "")
    assert image.display.name == f"display/{image.project_id}/{image.sha256[:2]}/{image.sha256}.webp"
    assert Picture.open(media / image.display.name).size == (40, 20)
    assert (media / image.display.name).stat().st_mode & 0o777 == 0o640

    def never(*_: object, **__: object) -> bytes:
        raise AssertionError("drawn again")

    monkeypatch.setattr("annotator.images.display.draw_display", never)
    make_displays([image.pk])


def test_a_copy_that_was_lost_is_made_again(image: Image, media: Path) -> None:
    make_displays([image.pk])
    image.refresh_from_db()
    (media / str(image.display.name)).unlink()
    with open_display(image) as file:
        assert Picture.open(file).size == (40, 20)


def test_one_bad_image_is_named(project: Project, media: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    images = [stored(project, (40, side)) for side in (20, 21, 22, 23)]
    (media / str(images[0].file.name)).write_bytes(b"damaged")
    (media / str(images[1].file.name)).unlink()
    real = FilesTogether.save

    def full_once(files: FilesTogether, name: str, contents: bytes) -> None:
        if images[2].sha256 in name:
            raise OSError(errno.ENOSPC, "No space left on device")
        real(files, name, contents)

    with monkeypatch.context() as patched:
        patched.setattr(FilesTogether, "save", full_once)
        with pytest.raises(OSError, match="No space"):
            make_displays([image.pk for image in images])
    rows = Image.objects.order_by("pk").values_list("display_state", "display_error")
    assert list(rows) == [
        ("failed", "not a PNG, JPEG or WebP image"),
        ("failed", "the original file is missing"),
        ("pending", ""),
        ("ready", ""),
    ]
    last = Image.objects.get(pk=images[3].pk)
    assert last.display.name == f"display/{project.pk}/{last.sha256[:2]}/{last.sha256}.webp"
    assert Picture.open(media / last.display.name).size == (40, 23)


def test_a_large_jpeg_is_decoded_at_a_fraction_and_looks_the_same() -> None:
    scene = Picture.radial_gradient("L").resize((900, 700)).convert("RGB")
    contents = BytesIO()
    scene.save(contents, "JPEG", quality=95)
    drawn = draw_display(contents.getvalue(), max_pixels=10**6, max_side=200)
    picture = Picture.open(BytesIO(drawn)).convert("RGB")
    assert picture.size == (200, 156)
    scene.thumbnail((200, 200), Picture.Resampling.LANCZOS)
    difference = ImageStat.Stat(ImageChops.difference(picture, scene))
    assert max(difference.rms) < 2.5  # of 255: better than 40 dB
    loaded = load_picture(contents.getvalue(), 10**6, draft_side=200)
    assert loaded.size == (225, 175)  # a quarter, still larger than the copy


def test_the_sweep_sends_what_waits(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    sent = ids_sent_to(monkeypatch, MAKE_DISPLAY)
    long_ago = timezone.now() - timedelta(minutes=1)
    images = [make_image(project) for _ in range(4)]
    Image.objects.filter(pk__in=[image.pk for image in images[:3]]).update(created_at=long_ago)
    Image.objects.filter(pk=images[0].pk).update(display_state="ready")
    Image.objects.filter(pk=images[1].pk).update(display_state="failed")
    assert tasks.sweep_images() == 1
    assert sent == [images[2].pk]


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


@pytest.mark.parametrize(
    ("error", "tries"),
    [("decoding it took longer than 60 seconds", 0), ("the original file is missing", 1), ("", 1)],
)
def test_an_image_that_exhausted_a_decoder_is_not_drawn_for_every_view(
    image: Image, monkeypatch: pytest.MonkeyPatch, error: str, tries: int
) -> None:
    Image.objects.filter(pk=image.pk).update(display_state="failed", display_error=error)
    image.refresh_from_db()
    tried: list[bool] = []

    def refused(*_: object, hurried: bool, **__: object) -> bytes:
        tried.append(hurried)
        raise UnreadableImage("broken")

    monkeypatch.setattr("annotator.images.display.draw_display", refused)
    with pytest.raises(
        UnreadableImage, match="decoding it took" if error.startswith("decoding") else "broken"
    ):
        open_display(image)
    assert tried == [True] * tries


def test_a_slow_view_leaves_the_copy_to_a_worker(image: Image, monkeypatch: pytest.MonkeyPatch) -> None:
    started = Decoder._started

    def halted(decoder: Decoder) -> subprocess.Popen[bytes]:
        """Start a process that never answers: even a short time may be enough to draw a small image."""
        process = started(decoder)
        process.send_signal(signal.SIGSTOP)
        return process

    close_idle()
    with monkeypatch.context() as slow:
        slow.setattr(Decoder, "_started", halted)
        slow.setattr("annotator.images.drawing.HURRY_SECONDS", 0.05)
        with pytest.raises(UnreadableImage, match="not ready yet"):
            open_display(image)
    image.refresh_from_db()
    assert (image.display_state, image.display_error) == ("pending", "")
    make_displays([image.pk])
    image.refresh_from_db()
    assert image.display_state == "ready"

"""Copies with blurred faces: nothing of a face is left, and the rest stays."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import default_storage
from PIL import Image as Picture
from PIL import ImageChops, ImageFilter, ImageStat
from PIL.Image import Image as Pixels
from pytest_django.fixtures import Settings

from annotator.faces.blurring import copies_of, make_blurred, name_of, open_blurred
from annotator.faces.decisions import current_of, take_back
from annotator.faces.rectangles import Rectangle
from annotator.images.decoding import UnreadableImage, decode_image
from annotator.images.display import make_displays, open_display, store_image
from annotator.images.encoding import blur
from annotator.images.storage import save_whole
from annotator.models import FaceDecision, Image
from tests.factories import LEAD, decide_faces, make_member, make_project

pytestmark = pytest.mark.django_db

SIDE = 200
BOX = (60, 60, 80, 80)
ENLARGED = Rectangle(*BOX).enlarged(SIDE, SIDE)
INSIDE = (60, 60, 140, 140)
# Brought up by 128, so that negative values are not cut off; the variance is the same.
LAPLACIAN = ImageFilter.Kernel((3, 3), (0, 1, 0, 1, -4, 1, 0, 1, 0), scale=1, offset=128)


@pytest.fixture(autouse=True)
def media(tmp_path: Path, settings: Settings) -> Path:
    settings.MEDIA_ROOT = tmp_path / "media"
    return tmp_path / "media"


def noise() -> Pixels:
    return Picture.effect_noise((SIDE, SIDE), 50)


def stored(picture: Pixels, **how: Any) -> Image:
    buffer = BytesIO()
    picture.save(buffer, "PNG", **how)
    buffer.seek(0)
    return store_image(
        project=make_project(),
        decoded=decode_image(buffer, max_pixels=10**6, max_bytes=10**6),
        source_name="a.png",
        generator="g",
        prompt="p",
        number=1,
    )


def sharpness(picture: Pixels) -> float:
    """Variance of the Laplacian of the grey values inside the box."""
    edges = picture.convert("L").crop(INSIDE).filter(LAPLACIAN).crop((1, 1, 79, 79))
    return float(ImageStat.Stat(edges).var[0])


def shown(image: Image, *, webp: bool = True) -> Pixels:
    image.refresh_from_db()
    with open_blurred(image, webp=webp) as file:
        return Picture.open(BytesIO(file.read()))


def test_the_blur_takes_at_least_99_percent_of_the_sharpness() -> None:
    picture = noise()
    before = sharpness(picture)
    blur(picture, [ENLARGED])
    assert before > 10_000
    assert sharpness(picture) < before / 100


def test_the_edge_is_hard_and_the_rest_untouched() -> None:
    picture = noise()
    blurred = picture.copy()
    blur(blurred, [ENLARGED])
    assert ImageChops.difference(picture, blurred).getbbox() == (48, 48, 152, 152)


@pytest.mark.parametrize("webp", [True, False])
def test_the_stored_copy_is_blurred_too(webp: bool) -> None:
    image = stored(noise())
    decide_faces([image], [list(BOX)])
    copy = shown(image, webp=webp)
    assert copy.format == ("WEBP" if webp else "JPEG")
    assert copy.size == (SIDE, SIDE)
    make_displays([image.pk])
    image.refresh_from_db()
    with open_display(image) as file:
        display = Picture.open(BytesIO(file.read()))
    assert sharpness(copy) < sharpness(display) / 100


def test_rectangles_are_those_of_the_upright_image() -> None:
    """A photo that EXIF turns by a quarter: the right half of what is shown is a face."""
    picture = Picture.new("RGB", (20, 40), "white")
    picture.paste(Picture.effect_noise((20, 20), 90).convert("RGB"), (0, 0))
    exif = Picture.Exif()
    exif[0x0112] = 6  # turned clockwise: the noisy top is on the right
    image = stored(picture, exif=exif)
    assert (image.width, image.height) == (40, 20)
    decide_faces([image], [[20, 0, 20, 20]])
    colours = shown(image).convert("L").crop((22, 2, 38, 18))
    lightest, darkest = colours.getextrema()[1], colours.getextrema()[0]
    assert int(lightest) - int(darkest) < 100  # type: ignore[arg-type]


def test_without_a_decision_nothing_is_shown() -> None:
    image = stored(noise())
    with pytest.raises(UnreadableImage):
        open_blurred(image, webp=True)


def test_without_a_face_the_whole_image_is_shown() -> None:
    image = stored(noise())
    decide_faces([image])
    assert shown(image).size == (SIDE, SIDE)
    assert FaceDecision.objects.get().state == "ready"


def test_the_copy_goes_with_its_decision(
    django_capture_on_commit_callbacks: Callable[..., AbstractContextManager[object]],
) -> None:
    image = stored(noise())
    decide_faces([image], [list(BOX)])
    first = current_of([image.pk])[image.pk]
    shown(image, webp=False)
    assert all(default_storage.exists(name) for name in copies_of(first))
    with django_capture_on_commit_callbacks(execute=True):
        decide_faces([image], [[0, 0, 50, 50]])
    assert not any(default_storage.exists(name) for name in copies_of(first))
    second = current_of([image.pk])[image.pk]
    assert name_of(second) != name_of(first)
    shown(image)
    lead = make_member(image.project, LEAD)
    with django_capture_on_commit_callbacks(execute=True):
        assert take_back(image=image, member=lead)
    assert not default_storage.exists(name_of(second))
    make_blurred(second.pk)
    assert not default_storage.exists(name_of(second))


def test_a_copy_of_a_decision_replaced_meanwhile_is_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    image = stored(noise())
    decide_faces([image], [list(BOX)])
    first = current_of([image.pk])[image.pk]

    def overtaken(name: str, contents: bytes) -> None:
        decide_faces([image], [[0, 0, 50, 50]])
        save_whole(name, contents)

    monkeypatch.setattr("annotator.faces.blurring.save_whole", overtaken)
    make_blurred(first.pk)
    assert not default_storage.exists(name_of(first))

"""Pictures that a project knows by their hash alone come in by an upload."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.files.storage import default_storage
from pytest_django.fixtures import Settings

from annotator.images.decoding import content_hash
from annotator.images.display import make_display
from annotator.models import Image, Project
from tests.annotator.uploads.bringing import bring, picture, read, row, states, store
from tests.factories import make_image, make_project

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def storage(settings: Settings, tmp_path: Path) -> None:
    """A storage of the test's own: no earlier one has left a picture in it."""
    settings.MEDIA_ROOT = tmp_path / "media"


@pytest.fixture
def project() -> Project:
    """Two images whose files are lost."""
    project = make_project()
    for number in (1, 2):
        sha256 = content_hash(picture(number))
        make_image(
            project,
            sha256=sha256,
            file=f"originals/{project.pk}/{sha256[:2]}/{sha256}.png",
            generator="alpha",
            prompt="hugging",
            number=number,
            width=12,
            display_state="failed",
            display_error="the file is missing",
        )
    return project


def known(project: Project) -> list[tuple[object, ...]]:
    """What is known of the images besides their pictures."""
    rows = project.images.order_by("pk")
    return list(rows.values_list("pk", "sha256", "file", "generator", "prompt", "number", "source_name"))


def test_they_are_found_by_content_whatever_they_are_called(project: Project) -> None:
    before = known(project)
    upload = bring(project, {"any/name.png": picture(1), "x.png": picture(2), "new/one/3.png": picture(3)})
    read(upload)
    assert {states(upload)[name] for name in ("any/name.png", "x.png")} == {"ready"}
    assert (row(upload, "x.png").generator, row(upload, "x.png").number) == ("alpha", 2)
    store(upload)
    assert states(upload)["any/name.png"] == states(upload)["x.png"] == "stored"
    assert known(project)[:2] == before
    for image in Image.objects.filter(project=project, number__in=(1, 2), generator="alpha"):
        with default_storage.open(str(image.file.name)) as file:
            assert content_hash(file.read()) == image.sha256
        assert (image.display_state, image.display_error) == ("pending", "")
        make_display(image.pk)
        image.refresh_from_db()
        assert image.display_state == "ready"


def test_once_filled_in_it_is_a_duplicate(project: Project) -> None:
    upload = bring(project, {"a.png": picture(1), "b.png": picture(1)})
    read(upload)
    assert sorted(states(upload).values()) == ["duplicate", "ready"]
    store(upload)
    assert sorted(states(upload).values()) == ["duplicate", "stored"]
    again = bring(project, {"a.png": picture(1)})
    read(again)
    assert states(again) == {"a.png": "duplicate"}
    assert project.images.count() == 2


def test_a_picture_that_cannot_be_drawn_but_is_there_is_a_duplicate(project: Project) -> None:
    upload = bring(project, {"a.png": picture(1)})
    read(upload)
    store(upload)
    project.images.filter(number=1).update(display_state="failed", display_error="odd")
    again = bring(project, {"b.png": picture(1)})
    read(again)
    assert states(again) == {"b.png": "duplicate"}

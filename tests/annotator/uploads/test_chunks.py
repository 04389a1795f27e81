"""A chunk of files: rows after files, and nothing of it is lost to what happens meanwhile."""

from __future__ import annotations

import errno
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from annotator.images import storage
from annotator.models import Image, Project
from annotator.uploads import storing as chunks
from annotator.uploads.status import counts
from tests.annotator.uploads.bringing import picture, row, states, store
from tests.annotator.uploads.test_storing import FILES, brought, originals
from tests.factories import make_image, make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(tmp_path: Path, settings: Settings) -> Project:
    """A project with a media folder of its own."""
    settings.MEDIA_ROOT = tmp_path / "media"
    return make_project()


def test_rows_come_only_after_their_folders_are_synced(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A power cut may take back what was renamed into a folder that is not synced."""
    upload = brought(project)
    sync, add = storage._sync, chunks._add
    synced: set[Path] = set()

    def watched(path: Path) -> None:
        sync(path)
        synced.add(path)

    def after(written: Sequence[Any]) -> list[int]:
        assert {path.parent for path in originals(project)} < synced
        return add(written)

    monkeypatch.setattr(storage, "_sync", watched)
    monkeypatch.setattr(chunks, "_add", after)
    assert store(upload).status == "done"
    assert Image.objects.count() == 12


def test_a_folder_that_cannot_be_synced_stores_no_row(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    upload = brought(project)

    def broken(folder: Path) -> None:
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as changed:
        changed.setattr(storage, "_sync", broken)
        job = store(upload)
    assert (job.status, Image.objects.count(), counts(upload)["ready"]) == ("failed", 0, 12)
    assert job.error.startswith("“g/p/12.png” could not be stored (Input/output error). 0 images")
    assert store(upload).status == "done"
    assert Image.objects.count() == len(originals(project)) == 12


def test_files_without_a_number_share_generator_and_prompt(project: Project) -> None:
    upload = brought(project, {"g/p/a.png": picture(1), "g/p/b.png": picture(2)})
    upload.files.update(state="ready", generator="g", prompt="p", number=None)
    make_image(project, generator="g", prompt="p", number=None, sha256=row(upload, "g/p/a.png").sha256)
    store(upload)
    assert states(upload) == {"g/p/a.png": "duplicate", "g/p/b.png": "stored"}


def test_a_row_that_the_lead_changes_meanwhile_is_left(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    upload = brought(project)
    real = storage.FilesTogether.save

    def changing(files: storage.FilesTogether, name: str, contents: bytes) -> None:
        real(files, name, contents)
        upload.files.filter(name="g/p/3.png").update(prompt="another")

    with monkeypatch.context() as changed:
        changed.setattr(storage.FilesTogether, "save", changing)
        store(upload)
    assert (row(upload, "g/p/3.png").state, Image.objects.count()) == ("ready", 11)
    store(upload)
    assert Image.objects.get(prompt="another").file.read() == FILES["g/p/3.png"]


def test_an_image_that_comes_in_meanwhile_stops_none_of_the_others(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    upload = brought(project)
    real = chunks._add
    tried: list[int] = []

    def late(written: Sequence[Any]) -> list[int]:
        if not tried:
            make_image(project, sha256=row(upload, "g/p/5.png").sha256)
        tried.append(len(written))
        return real(written)

    monkeypatch.setattr(chunks, "_add", late)
    assert store(upload).status == "done"
    assert tried == [12, *[1] * 12]
    assert (counts(upload)["stored"], row(upload, "g/p/5.png").state) == (11, "duplicate")

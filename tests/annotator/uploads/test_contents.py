"""Uploads whose bytes are in an object store: nothing stays on a machine, all of it is swept."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from annotator.images.object_store import ObjectStore
from annotator.images.storage import StoreUnavailable
from annotator.models import Image, Project
from annotator.uploads.receiving import UploadRefused, discard_upload, receive
from annotator.uploads.sweeping import sweep_uploads
from config.env import MediaStore
from tests.annotator.uploads.bringing import bring, incoming, picture, read, states, store, zipped
from tests.support.codes import refused
from tests.support.object_store import keys_in
from tests.support.object_store import media_store as media_store
from tests.support.object_store import object_server as object_server

pytestmark = pytest.mark.django_db
MANIFEST = b"file,generator,prompt,number\nx/1.png,g,p,1\nx/2.png,g,p,2\nx/3.png,g,p,3\n"


def received(media_store: MediaStore) -> list[str]:
    """The objects of uploads."""
    return [key for key in keys_in(media_store) if key.startswith("receiving/")]


def on_the_machine(tmp_path: Path) -> list[Path]:
    """Files that stayed outside the store."""
    return [path for path in tmp_path.rglob("*") if path.is_file()]


def test_files_an_archive_and_a_manifest(media_store: MediaStore, project: Project, tmp_path: Path) -> None:
    archive = zipped({"x/1.png": picture(1), "x/2.png": picture(2), "x/notes.txt": b"text"})
    upload = bring(project, {"a.zip": archive, "x/3.png": picture(3), "manifest.csv": MANIFEST})
    assert (len(received(media_store)), on_the_machine(tmp_path)) == (3, [])
    read(upload)
    assert states(upload) == {
        **dict.fromkeys(("x/1.png", "x/2.png", "x/3.png"), "ready"),
        "a.zip": "archive",
        "manifest.csv": "table",
        "x/notes.txt": "ignored",
    }
    store(upload)
    assert Image.objects.filter(project=project).count() == 3
    sweep_uploads()
    assert (received(media_store), on_the_machine(tmp_path)) == ([], [])


def test_a_discarded_upload_leaves_nothing(media_store: MediaStore, project: Project) -> None:
    kept, gone = (bring(project, {"1.png": picture(number)}) for number in (1, 2))
    discard_upload(upload=gone, actor=None)
    sweep_uploads()
    (name,) = received(media_store)
    assert kept.public_id.hex in name


def test_a_store_that_is_down_takes_no_file(
    media_store: MediaStore, project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def down(*_: object) -> None:
        raise StoreUnavailable(5, "the object store does not respond")

    upload = bring(project, {"1.png": picture(1)})
    monkeypatch.setattr(ObjectStore, "save", down)
    with refused(UploadRefused, "no_room"):
        receive(upload=upload, name="2.png", file=incoming(upload, picture(2)))
    assert (upload.files.count(), on_the_machine(tmp_path)) == (1, [])


def test_what_killed_workers_unpacked_goes(media_store: MediaStore, project: Project, tmp_path: Path) -> None:
    old, young = (tmp_path / "var" / "receiving" / name for name in ("old", "young"))
    for folder in (old, young):
        folder.mkdir(parents=True)
    then = time.time() - 25 * 60 * 60
    os.utime(old, (then, then))
    read(bring(project, {"a.zip": zipped({"1.png": picture(1)})}))
    assert (old.exists(), young.exists()) == (False, True)

"""What is needed no more goes; what somebody needs stays, whatever the sweep meets on the disk."""

from __future__ import annotations

import os
import time
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from celery.schedules import crontab
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.utils import timezone

from annotator.exchange.import_jobs import request_reading, request_storing
from annotator.models import Event, Job, Project, Upload, UploadedFile
from annotator.tasks import sweep_uploads as task
from annotator.uploads.receiving import begin_upload, close_upload, discard_upload, receive
from annotator.uploads.sweeping import sweep_annotation_files, sweep_uploads
from config.celery import app
from tests.annotator.job_acts import ended
from tests.annotator.uploads.bringing import folder_of, incoming, path_of
from tests.factories import make_project

pytestmark = pytest.mark.django_db
WEEK = timedelta(days=7)
MINUTE = timedelta(minutes=1)


@pytest.fixture(autouse=True)
def place(media: Path) -> Path:
    return media / "receiving"


def bring(status: str = "receiving", untouched: timedelta = timedelta(), **fields: Any) -> UploadedFile:
    """The only file of an upload, whose bytes are there."""
    upload = begin_upload(project=fields.pop("project", None) or make_project(), actor=None)
    file = receive(upload=upload, name="1.png", file=incoming(upload, b"one"))
    Upload.objects.filter(pk=upload.pk).update(status=status, touched_at=timezone.now() - untouched, **fields)
    return file


def status_of(file: UploadedFile) -> str:
    return Upload.objects.get(pk=file.upload_id).status


def job_of(status: str) -> Job:
    return Job.objects.create(project=make_project(), kind="read_upload", status=status, result={})


def grow_old(path: Path, age: timedelta) -> None:
    """Set the time at which a file or folder was changed last."""
    then = time.time() - age.total_seconds()
    os.utime(path, (then, then))


def old_file(name: str, age: timedelta) -> str:
    """A file in the storage."""
    stored = default_storage.save(name, ContentFile(b"answers"))
    grow_old(Path(default_storage.path(stored)), age)
    return stored


def test_what_nobody_touched_for_a_week_is_discarded() -> None:
    forgotten = bring(untouched=WEEK + MINUTE)
    recent = bring(untouched=WEEK - MINUTE)
    path = path_of(forgotten)
    sweep_uploads()
    assert (status_of(forgotten), status_of(recent)) == ("discarded", "receiving")
    assert (path.exists(), path_of(recent).read_bytes()) == (False, b"one")
    assert not UploadedFile.objects.filter(upload=forgotten.upload).exists()
    event = Event.objects.get(verb="upload_discarded")
    assert (event.actor, event.data["files"], event.data["bytes"]) == (None, 1, 3)


@pytest.mark.parametrize(
    ("status", "job", "after"),
    [
        ("ready", "", "discarded"),
        ("reading", "running", "reading"),
        ("reading", "failed", "discarded"),
        ("storing", "queued", "storing"),
        ("storing", "cancelled", "discarded"),
        ("stored", "done", "stored"),
    ],
)
def test_work_under_way_is_not_forgotten(status: str, job: str, after: str) -> None:
    file = bring(status, WEEK + MINUTE, job=job_of(job) if job else None)
    sweep_uploads()
    assert status_of(file) == after
    assert path_of(file).exists() is (after in ("reading", "storing"))
    assert UploadedFile.objects.filter(pk=file.pk).exists() is (after != "discarded")


def test_a_discarded_upload_loses_bytes_and_rows() -> None:
    file, other = bring(), bring()
    entries = [
        UploadedFile(upload=file.upload, archive=file, entry=number, name=f"{number}.png", size=1)
        for number in range(1_200)
    ]
    UploadedFile.objects.bulk_create(entries)
    discard_upload(upload=file.upload, actor=None)
    sweep_uploads()
    assert not folder_of(file.upload.public_id).exists()
    assert list(UploadedFile.objects.all()) == [other]


def test_orphans_on_the_disk_go_with_their_upload(place: Path) -> None:
    file = bring()
    # A server was killed in the middle of a request.
    lost = folder_of(file.upload.public_id) / "incoming" / "tmp1"
    lost.parent.mkdir(exist_ok=True)
    lost.write_bytes(b"lost")
    of_no_upload = place / uuid4().hex
    of_no_upload.mkdir()
    sweep_uploads()
    assert (of_no_upload.exists(), path_of(file).read_bytes()) == (False, b"one")
    discard_upload(upload=file.upload, actor=None)
    sweep_uploads()
    assert not lost.exists()


def test_nothing_is_removed_that_we_have_not_made(place: Path, tmp_path: Path) -> None:
    """Somebody may have put other things into the folder."""
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "dear").mkdir(parents=True)
    theirs = [place / "photos" / "1.png", place / "notes.txt", place / uuid4().hex.upper() / "x"]
    for path in theirs:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"theirs")
        grow_old(path, timedelta(days=90))
        grow_old(path.parent, timedelta(days=90))
    link = place / uuid4().hex
    link.symlink_to(elsewhere)
    sweep_uploads()
    assert [path.read_bytes() for path in theirs] == [b"theirs"] * 3
    assert (elsewhere / "dear").is_dir()


def test_a_lead_who_comes_back_at_the_last_moment_is_not_robbed() -> None:
    """Between finding and discarding, somebody went on with it."""
    file = bring(untouched=timedelta(seconds=5))
    assert not close_upload(file.upload_id, actor=None, untouched_since=timezone.now() - WEEK)
    assert status_of(file) == "receiving"


def test_files_of_annotations_go_after_a_month() -> None:
    project: Project = make_project()
    old = old_file(f"answers/{project.pk}/{uuid4().hex}", timedelta(days=31))
    young = old_file(f"answers/{project.pk}/{uuid4().hex}", timedelta(days=29))
    other = old_file(f"originals/{uuid4().hex}", timedelta(days=900))
    awaited = old_file(f"answers/{project.pk}/{uuid4().hex}", timedelta(days=31))
    Job.objects.create(project=project, kind="store_answers", status="queued", data={"file": awaited})
    assert sweep_annotation_files() == 1
    there = [default_storage.exists(name) for name in (old, young, other, awaited)]
    assert there == [False, True, True, True]


def test_a_file_of_annotations_that_is_gone_is_asked_for_again() -> None:
    project = make_project()
    reading = request_reading(project=project, name="sheet.csv", contents=b"a,b\n", actor=None)
    grow_old(Path(default_storage.path(reading.data["file"])), timedelta(days=31))
    Job.objects.update(status="done", result={})
    assert sweep_annotation_files() == 1
    storing = request_storing(reading=reading, actor=None)
    assert ended(storing).error == "The file was deleted after a month. Upload it again."


def test_the_sweep_comes_by_itself() -> None:
    line = app.conf.beat_schedule["uploads-sweep"]
    assert line == {"task": task.name, "schedule": crontab(minute="40")}
    file = bring("discarded")
    stored = old_file("answers/1/x", timedelta(days=31))
    task()
    assert not folder_of(file.upload.public_id).exists()
    assert not default_storage.exists(stored)

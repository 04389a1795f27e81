"""Bundles that came through the browser, on their way back into a project."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile

from annotator.models import Job, Project, Upload
from annotator.uploads import status
from annotator.uploads.receiving import begin_upload, receive_form
from annotator.uploads.upload_jobs import request_storing
from annotator.work.jobs import run_job


def asked_for(target: Project, bundle: bytes) -> Job:
    """The first job of restoring a bundle, which nobody has begun."""
    upload = begin_upload(project=target, actor=None, kind=Upload.Kind.BUNDLE)
    receive_form(upload=upload, files=[SimpleUploadedFile("b.zip", bundle)])
    Upload.objects.filter(pk=upload.pk).update(status="ready")
    return request_storing(upload=upload, actor=None, send=False)


def with_short_turns(monkeypatch: pytest.MonkeyPatch, pieces: int = 1) -> None:
    """From here on a job does so many pieces of work: a file's hash, a picture, or a chunk of rows each."""
    asked = count(1)
    monkeypatch.setattr(status.TimeSlice, "is_over", property(lambda _: next(asked) % pieces == 0))
    monkeypatch.setattr("annotator.work.leases.STORE_EVERY_SECONDS", 0)


def next_of(job: Job) -> Job:
    """Do a job; return the one that goes on with the rest, or the same one."""
    run_job(job.pk)
    upload = Upload.objects.select_related("job").get(pk=job.data["upload"])
    assert upload.job is not None
    return upload.job


def until_pictures(job: Job) -> Job:
    """Do the turns until some pictures are there and some are not."""
    while not pictures_of(job.project):
        job = next_of(job)
    return job


def stagings() -> Any:
    """The projects in which something is being restored."""
    return Project.objects.filter(slug__startswith="restoring:")


def pictures_of(project: Project) -> list[Path]:
    """The pictures in a project's part of the storage."""
    folder = Path(default_storage.path(f"originals/{project.pk}"))
    return sorted(path for path in folder.rglob("*") if path.is_file())

"""Exports with media in a bucket: made, fetched and removed."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.http import FileResponse
from django.utils import timezone

from analysis.exports.export_jobs import request_export
from analysis.exports.requests import ExportRequest
from analysis.tasks import sweep_exports
from annotator.models import Job, Project
from annotator.work.jobs import RUN_JOB, run_job
from annotator.work.sending import MAKE_DISPLAY
from config.env import MediaStore
from tests.analysis.bundles.making import make_picture
from tests.analysis.factories import make_submitted
from tests.annotator.web.views.conftest import signed_in
from tests.factories import ANNOTATOR, LEAD, make_batch, make_member, make_project
from tests.support.messages import ids_sent_to
from tests.support.object_store import CLOSED, keys_in, use
from tests.support.object_store import media_store as media_store
from tests.support.object_store import object_server as object_server

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def unsent(monkeypatch: pytest.MonkeyPatch) -> None:
    """No worker hears anything."""
    ids_sent_to(monkeypatch, MAKE_DISPLAY, RUN_JOB)


@pytest.fixture
def project(media_store: MediaStore) -> Project:
    """Three images, each with an answer."""
    made = make_project("study")
    ada = make_member(made, ANNOTATOR, code="ada")
    batch = make_batch(made, coders=1)
    for _ in range(3):
        make_submitted(ada, image=make_picture(made), batch=batch)
    return made


def done(job: Job) -> Job:
    run_job(job.pk)
    job.refresh_from_db()
    return job


def export(project: Project, form: str = "csv") -> Job:
    return request_export(project=project, request=ExportRequest("scores", form), actor=None)


@pytest.mark.slow  # an S3 server answers in this process
def test_an_export_is_made_fetched_and_removed(
    project: Project, media_store: MediaStore, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    job = done(export(project))
    assert job.result is not None
    assert keys_in(media_store)[job.result["file"]] == job.result["bytes"]
    assert run_job(job.pk) is False  # done once
    lead = signed_in(make_member(project, LEAD))
    answer: Any = lead.get(f"/projects/study/exports/{job.pk}/file/")
    assert isinstance(answer, FileResponse)
    rows = list(csv.DictReader(io.StringIO(b"".join(answer).decode(), newline="")))
    assert len(rows) == 3
    assert answer["Content-Disposition"].startswith('attachment; filename="study-scores')
    assert str(media_store.bucket) not in str(answer.headers)
    stranger = signed_in(make_member(make_project(), LEAD)).get(f"/projects/study/exports/{job.pk}/file/")
    assert stranger.status_code == 404
    assert [path for path in (tmp_path / "var").rglob("*") if path.is_file()] == []
    sweep_exports()
    assert job.result["file"] in keys_in(media_store)
    later = timezone.now() + timedelta(days=8)
    monkeypatch.setattr(timezone, "now", lambda: later)
    sweep_exports()
    assert [key for key in keys_in(media_store) if not key.startswith("originals/")] == []


@pytest.mark.thorough
@pytest.mark.slow  # a client that tries again
def test_an_export_that_cannot_be_kept_fails_in_words_and_can_be_asked_for_again(
    project: Project, media_store: MediaStore, settings: Any
) -> None:
    before = keys_in(media_store)
    use(settings, replace(media_store, endpoint=CLOSED))
    job = done(export(project))
    assert (job.status, job.error) == (
        "failed",
        "The file could not be written: the object store does not respond.",
    )
    assert keys_in(media_store) == before
    lead = signed_in(make_member(project, LEAD))
    assert lead.get("/projects/study/exports/").status_code == 200
    use(settings, media_store)
    made = done(export(project))
    use(settings, replace(media_store, endpoint=CLOSED))
    page = lead.get("/projects/study/exports/")
    assert page.status_code == 503
    assert "Temporarily unavailable" in page.content.decode()
    use(settings, media_store)
    assert lead.get(f"/projects/study/exports/{made.pk}/file/").status_code == 200

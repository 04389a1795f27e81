"""Uploads that take longer than a worker may: one job after the other does a part."""

from __future__ import annotations

import pytest

from annotator.models import Event, Image, Job
from annotator.uploads import status
from annotator.uploads.upload_jobs import request_reading, request_storing
from annotator.work.jobs import run_job
from tests.annotator.uploads.bringing import bring, picture
from tests.factories import make_project

pytestmark = pytest.mark.django_db


def test_one_job_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(status, "current_task", object())
    monkeypatch.setattr(status, "LONGEST_TURN", -1)
    monkeypatch.setattr("annotator.uploads.inspection.CHUNK", 2)
    monkeypatch.setattr("annotator.uploads.storing.CHUNK", 1)
    upload = bring(make_project(), {f"g/p/{number}.png": picture(number) for number in range(4)})
    request_reading(upload=upload, actor=None, send=False)
    for expected in ("reading", "reading", "ready"):
        upload.refresh_from_db()
        assert run_job(upload.job_id or 0)
        upload.refresh_from_db()
        assert upload.status == expected
    request_storing(upload=upload, actor=None, send=False)
    for stored in (1, 2, 3, 4, 4):
        upload.refresh_from_db()
        assert upload.status == "storing"
        assert run_job(upload.job_id or 0)
        assert Image.objects.count() == stored
    upload.refresh_from_db()
    assert upload.status == "stored"
    assert set(Job.objects.values_list("status", flat=True)) == {"done"}
    assert Event.objects.filter(verb="upload_stored").count() == 1

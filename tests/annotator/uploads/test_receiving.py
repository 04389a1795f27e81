"""Files received one by one: whole or not at all, once however often they are sent; uploads discarded."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone

from annotator.models import Event, Job, Upload, UploadedFile
from annotator.uploads import receiving
from annotator.uploads.receiving import SWEEP_UPLOADS, UploadRefused, begin_upload, discard_upload, receive
from annotator.work.jobs import request_job
from tests.annotator.uploads.bringing import bring as bring_all
from tests.annotator.uploads.bringing import folder_of, incoming, picture, read, row, states
from tests.factories import LEAD, make_member, make_project, make_user
from tests.support.codes import refused
from tests.support.messages import times_sent

pytestmark = pytest.mark.django_db


@pytest.fixture
def upload() -> Upload:
    lead = make_member(make_project(), LEAD)
    return begin_upload(project=lead.project, actor=lead.user)


def bring(upload: Upload, name: str, data: bytes) -> UploadedFile:
    """A file that is there."""
    return receive(upload=upload, sent=incoming(upload, name, data))


def left_over(upload: Upload) -> list[str]:
    """What is on the disk without a row."""
    known = {public_id.hex for public_id in upload.files.values_list("public_id", flat=True)}
    paths = [path for path in folder_of(upload.public_id).rglob("*") if path.is_file()]
    return [path.name for path in paths if path.name not in known]


def test_an_upload_is_begun_once_for_a_request() -> None:
    project, actor, key = make_project(), make_user(), uuid4()
    first = begin_upload(project=project, actor=actor, request_key=key)
    assert begin_upload(project=project, actor=actor, request_key=key) == first
    assert begin_upload(project=project, actor=actor) != first
    assert begin_upload(project=make_project(), actor=actor, request_key=key).project != project
    event = Event.objects.filter(project=project).earliest("pk")
    values = (event.verb, event.actor, event.data)
    assert values == ("upload_begun", actor, {"upload": str(first.public_id)})
    assert Event.objects.filter(project=project, verb="upload_begun").count() == 2
    assert (first.status, first.made_by) == ("receiving", actor)


def test_a_repaired_file_takes_the_place_of_a_rejected_one() -> None:
    upload = bring_all(make_project(), {"g/p/1.png": picture(1)[:30], "g/p/2.png": picture(2)})
    read(upload)
    assert states(upload) == {"g/p/1.png": "refused", "g/p/2.png": "ready"}
    bring(upload, "g/p/1.png", picture(1))
    read(upload)
    assert states(upload) == {"g/p/1.png": "ready", "g/p/2.png": "ready"}
    assert left_over(upload) == []


def test_files_that_are_no_images_are_named_and_not_kept(upload: Upload) -> None:
    for name in ("a/Thumbs.db", "README.md"):
        bring(upload, name, b"text")
    assert states(upload) == {"a/Thumbs.db": "ignored", "README.md": "ignored"}
    assert row(upload, "README.md").problem == "Not an image, by its file extension."
    assert not any(path.is_file() for path in folder_of(upload.public_id).rglob("*"))


def test_an_upload_whose_job_died_accepts_files(upload: Upload) -> None:
    job = Job.objects.create(project=upload.project, kind="read_upload", status="failed")
    Upload.objects.update(status="reading", job=job)
    bring(Upload.objects.get(), "1.png", b"one")
    assert Upload.objects.get().status == "receiving"


def test_discarding_leaves_an_event_with_what_went(upload: Upload) -> None:
    actor = make_user()
    archive = bring(upload, "a.zip", b"PK")
    UploadedFile.objects.create(upload=upload, archive=archive, entry=0, name="1.png", size=3)
    bring(upload, "2.png", bytes(40))
    discard_upload(upload=upload, actor=actor)
    discard_upload(upload=upload, actor=actor)
    assert Upload.objects.get().status == upload.status == "discarded"
    event = Event.objects.get(verb="upload_discarded")
    assert (event.project, event.actor) == (upload.project, actor)
    assert event.data == {"upload": str(upload.public_id), "status": "receiving", "files": 2, "bytes": 42}


def test_discarding_stops_a_reading(upload: Upload, monkeypatch: Any) -> None:
    monkeypatch.setattr("annotator.work.jobs.job_kind", lambda kind: kind)
    job = request_job(project=upload.project, kind="read_upload", data={}, actor=None)
    Upload.objects.update(status="reading", job=job)
    discard_upload(upload=upload, actor=None)
    job.refresh_from_db()
    assert (job.status, Upload.objects.get().status) == ("cancelled", "discarded")


@pytest.mark.parametrize(
    ("status", "job", "code"),
    [
        ("stored", "done", "closed"),
        ("storing", "running", "busy"),
        ("storing", "failed", ""),
        ("ready", "done", ""),
    ],
)
def test_what_is_being_stored_is_not_discarded(upload: Upload, status: str, job: str, code: str) -> None:
    made = Job.objects.create(project=upload.project, kind="store_upload", status=job, result={})
    Upload.objects.update(status=status, job=made)
    if code:
        with refused(UploadRefused, code):
            discard_upload(upload=upload, actor=None)
    else:
        discard_upload(upload=upload, actor=None)
    assert Upload.objects.get().status == (status if code else "discarded")


def test_room_is_made_soon_after_discarding(
    upload: Upload, monkeypatch: Any, django_capture_on_commit_callbacks: Any
) -> None:
    asked = times_sent(monkeypatch, SWEEP_UPLOADS)
    with django_capture_on_commit_callbacks(execute=True):
        discard_upload(upload=upload, actor=None)
        discard_upload(upload=upload, actor=None)
    assert asked == [SWEEP_UPLOADS]


def test_an_upload_is_touched_once_a_minute_at_most(upload: Upload) -> None:
    before = upload.touched_at
    bring(upload, "1.png", b"one")
    assert Upload.objects.get().touched_at == before
    Upload.objects.update(touched_at=timezone.now() - receiving.KEPT)
    bring(Upload.objects.get(), "2.png", b"two")
    assert Upload.objects.get().touched_at >= before

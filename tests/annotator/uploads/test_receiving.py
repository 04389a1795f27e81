"""Uploads begun, filled by a form, discarded, and forgotten."""

from __future__ import annotations

from io import BytesIO
from typing import Any
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from annotator.models import Event, Job, Upload, UploadedFile
from annotator.uploads import receiving
from annotator.uploads.receiving import (
    SWEEP_UPLOADS,
    append,
    begin_upload,
    discard_upload,
    offset_of,
    path_of,
    place_file,
    receive_form,
    remove_file,
)
from annotator.uploads.refusals import BrokenOff, OtherOffset, TooMany, UploadClosed, WrongLength
from annotator.work.jobs import request_job
from tests.factories import LEAD, make_member, make_project, make_user
from tests.support.messages import break_broker, times_sent

pytestmark = pytest.mark.django_db


@pytest.fixture
def upload() -> Upload:
    lead = make_member(make_project(), LEAD)
    return begin_upload(project=lead.project, actor=lead.user)


def bring(upload: Upload, name: str, data: bytes) -> UploadedFile:
    """A file that is there."""
    file = place_file(upload=upload, name=name, size=len(data))
    append(file=file, offset=0, stream=BytesIO(data), length=len(data))
    return file


def test_an_upload_is_begun_once_for_a_request() -> None:
    project, actor, key = make_project(), make_user(), uuid4()
    first = begin_upload(project=project, actor=actor, request_key=key)
    assert begin_upload(project=project, actor=actor, request_key=key) == first
    assert begin_upload(project=project, actor=actor) != first
    assert begin_upload(project=make_project(), actor=actor, request_key=key).project != project
    event = Event.objects.filter(project=project).earliest("pk")
    assert (event.verb, event.actor, event.data) == (
        "upload_begun",
        actor,
        {"upload": str(first.public_id)},
    )
    assert Event.objects.filter(project=project, verb="upload_begun").count() == 2
    assert (first.status, first.made_by) == ("receiving", actor)


def test_bytes_that_came_before_a_connection_broke_are_kept(upload: Upload) -> None:
    file = place_file(upload=upload, name="1.png", size=9)
    with pytest.raises(BrokenOff, match="The connection was interrupted; 3 bytes were received"):
        append(file=file, offset=0, stream=BytesIO(b"one"), length=9)
    assert (offset_of(file), path_of(file).read_bytes()) == (3, b"one")
    assert append(file=file, offset=3, stream=BytesIO(b" image"), length=6) == 9
    assert UploadedFile.objects.get().state == "received"


def test_a_wrong_place_or_length_reads_nothing(upload: Upload) -> None:
    file = bring(upload, "1.png", b"one")
    stream = BytesIO(b"two")
    with pytest.raises(OtherOffset):
        append(file=file, offset=0, stream=stream, length=3)
    with pytest.raises(WrongLength):
        append(file=file, offset=3, stream=stream, length=3)
    assert stream.tell() == 0


def test_a_form_brings_files_and_says_what_it_refused(upload: Upload, settings: Any) -> None:
    settings.MAX_UPLOAD_BYTES = 100
    bring(upload, "half.png", b"123")
    place_file(upload=upload, name="begun.png", size=6)
    sent = [
        SimpleUploadedFile("1.png", b"one"),
        SimpleUploadedFile("empty.png", b""),
        SimpleUploadedFile("large.png", bytes(101)),
        SimpleUploadedFile("half.png", b"12345"),
        SimpleUploadedFile("begun.png", b"123456"),
    ]
    taken, refused = receive_form(upload=upload, files=sent)
    assert [(file.name, path_of(file).read_bytes()) for file in taken] == [
        ("1.png", b"one"),
        ("empty.png", b""),
        ("begun.png", b"123456"),
    ]
    assert refused == [
        ("large.png", "“large.png” has 101 bytes; the limit is 100. Split it into parts."),
        (
            "half.png",
            "This upload has a file “half.png” of 3 bytes; this one has 5. "
            "Remove the first one, or rename this one.",
        ),
    ]
    assert set(upload.files.values_list("state", flat=True)) == {"received"}
    assert receive_form(upload=upload, files=[SimpleUploadedFile("1.png", b"one")])[1] == []
    assert upload.files.count() == 4


def test_a_form_goes_on_where_a_script_stopped(upload: Upload) -> None:
    file = place_file(upload=upload, name="1.png", size=6)
    append(file=file, offset=0, stream=BytesIO(b"one"), length=3)
    receive_form(upload=upload, files=[SimpleUploadedFile("1.png", b"onetwo")])
    assert path_of(file).read_bytes() == b"onetwo"


def test_a_removed_archive_takes_its_entries_with_it(upload: Upload) -> None:
    file = bring(upload, "a.zip", b"PK")
    UploadedFile.objects.create(upload=upload, archive=file, entry=0, name="1.png", size=3)
    path = path_of(file)
    remove_file(file)
    assert (upload.files.count(), path.exists()) == (0, False)


def test_discarding_leaves_an_event_with_what_went(upload: Upload) -> None:
    actor = make_user()
    archive = bring(upload, "a.zip", b"PK")
    UploadedFile.objects.create(upload=upload, archive=archive, entry=0, name="1.png", size=3)
    place_file(upload=upload, name="2.png", size=40)
    discard_upload(upload=upload, actor=actor)
    discard_upload(upload=upload, actor=actor)
    assert Upload.objects.get().status == upload.status == "discarded"
    event = Event.objects.get(verb="upload_discarded")
    assert (event.project, event.actor) == (upload.project, actor)
    assert event.data == {
        "upload": str(upload.public_id),
        "status": "receiving",
        "files": 2,
        "bytes": 42,
    }
    with pytest.raises(UploadClosed, match="This upload accepts no files: discarded"):
        place_file(upload=upload, name="3.png", size=1)


def test_discarding_stops_a_reading(upload: Upload, monkeypatch: Any) -> None:
    monkeypatch.setattr("annotator.work.jobs.job_kind", lambda kind: kind)
    job = request_job(project=upload.project, kind="read_upload", data={}, actor=None)
    Upload.objects.update(status="reading", job=job)
    discard_upload(upload=upload, actor=None)
    job.refresh_from_db()
    assert (job.status, Upload.objects.get().status) == ("cancelled", "discarded")


@pytest.mark.parametrize(
    ("status", "job", "words"),
    [
        ("stored", "done", "These images are already stored, so the upload cannot be discarded."),
        ("storing", "running", "These images are being stored. Cancel the job first, then discard the rest."),
        ("storing", "failed", ""),
        ("ready", "done", ""),
    ],
)
def test_what_is_being_stored_is_not_discarded(upload: Upload, status: str, job: str, words: str) -> None:
    made = Job.objects.create(project=upload.project, kind="store_upload", status=job, result={})
    Upload.objects.update(status=status, job=made)
    if words:
        with pytest.raises(UploadClosed) as refused:
            discard_upload(upload=upload, actor=None)
        assert str(refused.value) == words
    else:
        discard_upload(upload=upload, actor=None)
    assert Upload.objects.get().status == (status if words else "discarded")


def test_room_is_made_soon_after_discarding(
    upload: Upload, monkeypatch: Any, django_capture_on_commit_callbacks: Any
) -> None:
    asked = times_sent(monkeypatch, SWEEP_UPLOADS)
    with django_capture_on_commit_callbacks(execute=True):
        discard_upload(upload=upload, actor=None)
        discard_upload(upload=upload, actor=None)
    assert asked == [SWEEP_UPLOADS]


def test_a_broker_that_is_down_stops_nobody(
    upload: Upload, monkeypatch: Any, django_capture_on_commit_callbacks: Any
) -> None:
    break_broker(monkeypatch, OSError("connection refused"))
    with django_capture_on_commit_callbacks(execute=True):
        discard_upload(upload=upload, actor=None)
    assert Upload.objects.get().status == "discarded"


def test_an_upload_is_touched_once_a_minute_at_most(upload: Upload) -> None:
    before = upload.touched_at
    bring(upload, "1.png", b"one")
    assert Upload.objects.get().touched_at == before
    Upload.objects.update(touched_at=timezone.now() - receiving.KEPT)
    bring(Upload.objects.get(), "2.png", b"two")
    assert Upload.objects.get().touched_at >= before


def test_the_cost_of_a_file_does_not_grow(upload: Upload, django_assert_max_num_queries: Any) -> None:
    for number in range(30):
        bring(upload, f"{number}.png", b"one")
    # Thirteen, and one more where the upload's files are counted: by chance, one in some hundred.
    with django_assert_max_num_queries(14):
        bring(upload, "last.png", b"one")


def test_of_many_files_some_are_counted(upload: Upload, settings: Any) -> None:
    """Counting costs: an upload of 200,000 files may end a few late, and ends."""
    settings.MAX_UPLOAD_FILES = 2_000
    rows = (
        UploadedFile(upload=upload, name=f"{number}.png", size=1, state="received") for number in range(2_000)
    )
    UploadedFile.objects.bulk_create(rows)

    def bring_many() -> None:
        for number in range(2_000, 2_100):  # each is counted with a chance of a half
            place_file(upload=upload, name=f"{number}.png", size=1)

    with pytest.raises(TooMany, match="An upload holds at most 2,000 files"):
        bring_many()
    assert 2_000 <= upload.files.count() < 2_100

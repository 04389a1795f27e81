"""Files received one by one: whole or not at all, once however often or at once they are sent."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from annotator.models import Event, Job, Upload, UploadedFile
from annotator.uploads.receiving import UploadRefused, begin_upload, discard_upload, receive
from annotator.uploads.upload_jobs import request_reading
from annotator.work.jobs import request_job, run_job
from tests.annotator.racing import race
from tests.annotator.uploads.bringing import bring as bring_all
from tests.annotator.uploads.bringing import folder_of, incoming, path_of, picture, read, states
from tests.factories import LEAD, make_member, make_project, make_user
from tests.support.codes import refused

pytestmark = pytest.mark.django_db
at_once = pytest.mark.django_db(transaction=True)


@pytest.fixture
def upload() -> Upload:
    lead = make_member(make_project(), LEAD)
    return begin_upload(project=lead.project, actor=lead.user)


def bring(upload: Upload, name: str, data: bytes) -> UploadedFile:
    """A file that is there."""
    return receive(upload=upload, name=name, file=incoming(upload, data))


def test_a_repaired_file_takes_the_place_of_a_rejected_one() -> None:
    upload = bring_all(make_project(), {"g/p/1.png": picture(1)[:30], "g/p/2.png": picture(2)})
    read(upload)
    assert states(upload) == {"g/p/1.png": "refused", "g/p/2.png": "ready"}
    bring(upload, "g/p/1.png", picture(1))
    read(upload)
    assert states(upload) == {"g/p/1.png": "ready", "g/p/2.png": "ready"}
    assert on_the_disk(upload) == {file.public_id.hex for file in upload.files.all()}


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


ROUNDS = 20


def loaded(upload: Upload) -> Upload:
    """The upload as another request loads it."""
    return Upload.objects.select_related("project", "job").get(pk=upload.pk)


def sending(upload: Upload, name: str, contents: bytes) -> Callable[[], object]:
    """A request whose bytes have arrived."""
    return partial(receive, upload=loaded(upload), name=name, file=incoming(upload, contents))


def on_the_disk(upload: Upload) -> set[str]:
    return {path.name for path in folder_of(upload.public_id).rglob("*") if path.is_file()}


@at_once
def test_tabs_that_send_the_same_folder_make_one_of_it() -> None:
    """Four tabs send the same ten files, each in another order: nothing is lost and nothing doubled."""
    upload = begin_upload(project=make_project(), actor=None)
    files = {f"{number}.png": picture(number) for number in range(10)}

    def tab(start: int) -> None:
        names = [*files][start:] + [*files][:start]
        for name in names:
            sending(upload, name, files[name])()

    assert race([partial(tab, start) for start in (0, 3, 5, 8)]) == [None] * 4
    rows = list(upload.files.all())
    assert sorted(file.name for file in rows) == sorted(files)
    for file in rows:
        assert path_of(file).read_bytes() == files[file.name]
        assert file.sha256 == hashlib.sha256(files[file.name]).hexdigest()
    assert on_the_disk(upload) == {file.public_id.hex for file in rows}


@at_once
def test_one_name_with_two_contents_has_one_of_them() -> None:
    upload = begin_upload(project=make_project(), actor=None)
    for number in range(ROUNDS):
        name, contents = f"{number}.png", (b"one", b"two") * 2
        outcomes = race([sending(upload, name, each) for each in contents])
        file = upload.files.get(name=name)
        kept = path_of(file).read_bytes()
        assert kept in contents
        for outcome, sent in zip(outcomes, contents, strict=True):
            assert isinstance(outcome, UploadedFile if sent == kept else UploadRefused), outcome
    assert len(on_the_disk(upload)) == ROUNDS


@at_once
def test_files_that_come_while_an_upload_is_discarded_are_in_it_or_refused() -> None:
    for _ in range(ROUNDS):
        upload = begin_upload(project=make_project(), actor=None)
        jobs: list[Callable[[], object]] = [
            sending(upload, "1.png", b"one"),
            partial(discard_upload, upload=loaded(upload), actor=None),
            partial(discard_upload, upload=loaded(upload), actor=None),
        ]
        received, *discarded = race(jobs)
        assert discarded == [None, None]
        assert isinstance(received, UploadedFile | UploadRefused), received
        event = Event.objects.get(project=upload.project, verb="upload_discarded")
        assert event.data["files"] == isinstance(received, UploadedFile)
        assert loaded(upload).status == "discarded"


@at_once
def test_files_that_come_while_another_tab_has_names_checked_are_read_or_sent_again() -> None:
    for _ in range(ROUNDS // 4):
        upload = bring_all(make_project(), {"g/p/1.png": picture(1)})
        jobs: list[Callable[[], object]] = [
            partial(request_reading, upload=loaded(upload), actor=None, send=False),
            *(sending(upload, f"g/p/{number}.png", picture(number)) for number in (2, 3)),
        ]
        job, *received = race(jobs)
        assert isinstance(job, Job), job
        assert run_job(job.pk)
        for number, outcome in zip((2, 3), received, strict=True):
            if isinstance(outcome, UploadRefused):
                assert outcome.code == "busy"
                sending(upload, f"g/p/{number}.png", picture(number))()
        assert run_job(request_reading(upload=loaded(upload), actor=None, send=False).pk)
        assert states(upload) == dict.fromkeys([f"g/p/{number}.png" for number in (1, 2, 3)], "ready")


@at_once
def test_the_last_place_is_taken_once(settings: object) -> None:
    settings.MAX_UPLOAD_FILES = 3  # type: ignore[attr-defined]
    for _ in range(ROUNDS // 2):
        upload = begin_upload(project=make_project(), actor=None)
        outcomes = race([sending(upload, f"{number}.png", b"1") for number in range(6)])
        assert sum(isinstance(outcome, UploadRefused) for outcome in outcomes) == 3, outcomes
        assert upload.files.count() == len(on_the_disk(upload)) == 3


def test_the_cost_of_a_file_does_not_grow(upload: Upload, django_assert_max_num_queries: Any) -> None:
    for number in range(30):
        bring(upload, f"{number}.png", b"one")
    # Seven, and one more where the upload's files are counted: by chance, one in some hundred.
    with django_assert_max_num_queries(8):
        bring(upload, "last.png", b"one")

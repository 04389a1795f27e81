"""Two tabs, two leads, and one who discards or reads meanwhile: on whatever database the tests run."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable
from functools import partial

import pytest

from annotator.database.transactions import write_transaction
from annotator.models import Event, Job, Upload, UploadedFile
from annotator.uploads.receiving import UploadRefused, begin_upload, discard_upload, receive
from annotator.uploads.upload_jobs import STORE, request_reading
from annotator.work.jobs import request_job, run_job
from tests.annotator.racing import race
from tests.annotator.uploads.bringing import bring, folder_of, incoming, path_of, picture, states
from tests.factories import make_project

pytestmark = pytest.mark.django_db(transaction=True)

ROUNDS = 20


def fresh(upload: Upload) -> Upload:
    """The upload as another request loads it."""
    return Upload.objects.select_related("project", "job").get(pk=upload.pk)


def sending(upload: Upload, name: str, contents: bytes) -> Callable[[], object]:
    """A request whose bytes have arrived."""
    return partial(receive, upload=fresh(upload), sent=incoming(upload, name, contents))


def on_the_disk(upload: Upload) -> set[str]:
    return {path.name for path in folder_of(upload.public_id).rglob("*") if path.is_file()}


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


def test_files_that_come_while_an_upload_is_discarded_are_in_it_or_refused() -> None:
    for _ in range(ROUNDS):
        upload = begin_upload(project=make_project(), actor=None)
        jobs: list[Callable[[], object]] = [
            sending(upload, "1.png", b"one"),
            partial(discard_upload, upload=fresh(upload), actor=None),
            partial(discard_upload, upload=fresh(upload), actor=None),
        ]
        received, *discarded = race(jobs)
        assert discarded == [None, None]
        assert isinstance(received, UploadedFile | UploadRefused), received
        event = Event.objects.get(project=upload.project, verb="upload_discarded")
        assert event.data["files"] == isinstance(received, UploadedFile)
        assert fresh(upload).status == "discarded"


def test_files_that_come_while_another_tab_has_names_checked_are_read_or_sent_again() -> None:
    for _ in range(ROUNDS // 4):
        upload = bring(make_project(), {"g/p/1.png": picture(1)})
        jobs: list[Callable[[], object]] = [
            partial(request_reading, upload=fresh(upload), actor=None, send=False),
            *(sending(upload, f"g/p/{number}.png", picture(number)) for number in (2, 3)),
        ]
        job, *received = race(jobs)
        assert isinstance(job, Job), job
        assert run_job(job.pk)
        for number, outcome in zip((2, 3), received, strict=True):
            if isinstance(outcome, UploadRefused):
                assert outcome.code == "busy"
                receive(upload=fresh(upload), sent=incoming(upload, f"g/p/{number}.png", picture(number)))
        assert run_job(request_reading(upload=fresh(upload), actor=None, send=False).pk)
        assert states(upload) == dict.fromkeys([f"g/p/{number}.png" for number in (1, 2, 3)], "ready")


def test_what_begins_to_be_stored_while_somebody_discards_is_not_discarded() -> None:
    """Whoever waited for the row sees the job that it has now."""
    upload = begin_upload(project=make_project(), actor=None)
    held = threading.Event()

    def store() -> None:
        with write_transaction():
            Upload.objects.select_for_update().get(pk=upload.pk)
            held.set()
            time.sleep(0.3)
            job = request_job(
                project=upload.project, kind=STORE, data={"upload": upload.pk}, actor=None, send=False
            )
            Upload.objects.filter(pk=upload.pk).update(status="storing", job=job)

    def discard() -> None:
        held.wait(timeout=30)
        discard_upload(upload=upload, actor=None)

    stored, discarded = race([store, discard])
    assert stored is None, stored
    assert isinstance(discarded, UploadRefused), discarded
    assert fresh(upload).status == "storing"


def test_the_last_place_is_taken_once(settings: object) -> None:
    settings.MAX_UPLOAD_FILES = 3  # type: ignore[attr-defined]
    for _ in range(ROUNDS // 2):
        upload = begin_upload(project=make_project(), actor=None)
        outcomes = race([sending(upload, f"{number}.png", b"1") for number in range(6)])
        assert sum(isinstance(outcome, UploadRefused) for outcome in outcomes) == 3, outcomes
        assert upload.files.count() == len(on_the_disk(upload)) == 3

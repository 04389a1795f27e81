"""Two tabs, and a lead who discards meanwhile: on whatever database the tests run."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from functools import partial
from io import BytesIO

import pytest

from annotator.database.transactions import write_transaction
from annotator.models import Event, Upload, UploadedFile
from annotator.uploads.receiving import append, begin_upload, discard_upload, offset_of, path_of, place_file
from annotator.uploads.refusals import OtherOffset, TakenName, TooMany, UploadClosed
from annotator.uploads.upload_jobs import STORE
from annotator.work.jobs import request_job
from tests.annotator.racing import race
from tests.factories import make_project

pytestmark = pytest.mark.django_db(transaction=True)

ROUNDS = 20
MB = 1024 * 1024


def fresh(upload: Upload) -> Upload:
    """The upload as another request loads it."""
    return Upload.objects.select_related("project").get(pk=upload.pk)


def test_one_name_announced_by_many_is_one_file() -> None:
    upload = begin_upload(project=make_project(), actor=None)
    for number in range(ROUNDS):
        name = f"{number}.png"
        outcomes = race([partial(place_file, upload=fresh(upload), name=name, size=9)] * 4)
        assert {getattr(file, "pk", file) for file in outcomes} == {upload.files.get(name=name).pk}


@pytest.mark.thorough
def test_one_name_with_two_sizes_has_one_of_them() -> None:
    upload = begin_upload(project=make_project(), actor=None)
    for number in range(ROUNDS):
        jobs = [
            partial(place_file, upload=fresh(upload), name=f"{number}.png", size=size) for size in (8, 9) * 2
        ]
        outcomes = race(jobs)
        size = upload.files.get(name=f"{number}.png").size
        for outcome, asked in zip(outcomes, (8, 9) * 2, strict=True):
            assert isinstance(outcome, UploadedFile if asked == size else TakenName), outcome


def test_two_tabs_send_one_file_and_take_turns() -> None:
    """Each asks how far the file is, and sends its next piece from there."""
    upload = begin_upload(project=make_project(), actor=None)
    data = os.urandom(8 * MB + 7)
    pk = place_file(upload=upload, name="1.png", size=len(data)).pk

    def tab(piece: int) -> tuple[int, int]:
        sent = refused = 0
        while True:
            file = UploadedFile.objects.select_related("upload").get(pk=pk)
            offset = offset_of(file)
            if offset == file.size:
                return sent, refused
            length = min(piece, file.size - offset)
            try:
                append(
                    file=file, offset=offset, stream=BytesIO(data[offset : offset + length]), length=length
                )
                sent += 1
            except OtherOffset:
                refused += 1

    first, second = race([partial(tab, 70_000), partial(tab, 90_000)])
    assert isinstance(first, tuple), first
    assert isinstance(second, tuple), second
    file = upload.files.get()
    assert path_of(file).read_bytes() == data
    assert file.state == "received"


def test_files_that_come_while_an_upload_is_discarded_are_in_it_or_refused() -> None:
    for _ in range(ROUNDS):
        upload = begin_upload(project=make_project(), actor=None)
        jobs: list[Callable[[], object]] = [
            partial(place_file, upload=fresh(upload), name="1.png", size=9),
            partial(discard_upload, upload=fresh(upload), actor=None),
            partial(discard_upload, upload=fresh(upload), actor=None),
        ]
        placed, *discarded = race(jobs)
        assert discarded == [None, None]
        assert isinstance(placed, UploadedFile | UploadClosed), placed
        event = Event.objects.get(project=upload.project, verb="upload_discarded")
        assert event.data["files"] == isinstance(placed, UploadedFile)
        assert fresh(upload).status == "discarded"


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
    assert isinstance(discarded, UploadClosed), discarded
    assert fresh(upload).status == "storing"


def test_the_last_place_is_taken_once(settings: object) -> None:
    settings.MAX_UPLOAD_FILES = 3  # type: ignore[attr-defined]
    for _ in range(ROUNDS):
        upload = begin_upload(project=make_project(), actor=None)
        jobs = [
            partial(place_file, upload=fresh(upload), name=f"{number}.png", size=1) for number in range(6)
        ]
        outcomes = race(jobs)
        assert sum(isinstance(outcome, TooMany) for outcome in outcomes) == 3, outcomes
        assert upload.files.count() == 3

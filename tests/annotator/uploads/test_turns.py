"""Uploads in several turns: of jobs that take too long, of workers that are suspended or killed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import OperationalError

from annotator.models import Event, Image, Job, Upload, UploadedFile
from annotator.uploads import reading, status, storing
from annotator.uploads.status import counts
from annotator.uploads.upload_jobs import request_reading, request_storing
from annotator.work import leases
from annotator.work.jobs import run_job
from tests.annotator.job_acts import expire
from tests.annotator.uploads.bringing import bring, brought, picture
from tests.factories import make_project

pytestmark = pytest.mark.django_db


def end_every_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a turn be over as soon as it begins."""
    monkeypatch.setattr(status, "current_task", object())
    monkeypatch.setattr(status, "LONGEST_TURN", -1)


def turn(upload: Upload) -> str:
    """Run the job that an upload has now; its status afterwards."""
    upload.refresh_from_db()
    assert run_job(upload.job_id or 0)
    upload.refresh_from_db()
    return upload.status


def test_one_job_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    end_every_turn(monkeypatch)
    monkeypatch.setattr("annotator.uploads.storing.CHUNK", 1)
    upload = bring(make_project(), {f"g/p/{number}.png": picture(number) for number in range(4)})
    request_reading(upload=upload, actor=None, send=False)
    # Every image may take as long as a decoder gives it, so a turn that is over reads only one.
    assert [turn(upload) for _ in range(5)] == [*["reading"] * 4, "ready"]
    request_storing(upload=upload, actor=None, send=False)
    found = [(turn(upload), Image.objects.count()) for _ in range(5)]
    assert found == [*(("storing", number) for number in (1, 2, 3, 4)), ("stored", 4)]
    assert set(Job.objects.values_list("status", flat=True)) == {"done"}
    assert Event.objects.filter(verb="upload_stored").count() == 1


def test_each_table_of_an_upload_may_take_the_time_of_a_job(monkeypatch: pytest.MonkeyPatch) -> None:
    end_every_turn(monkeypatch)
    row = "file,generator,prompt,number\n{0}.png,g{0},hug,1\n"
    tables = {f"{number}.csv": row.format(number).encode() for number in range(2)}
    upload = bring(make_project(), {"0.png": picture(0), "1.png": picture(1), **tables})
    request_reading(upload=upload, actor=None, send=False)
    read_in_turn = []
    for _ in range(5):
        turn(upload)
        read_in_turn.append(upload.files.filter(state=UploadedFile.State.TABLE).count())
    assert (read_in_turn, upload.status) == ([0, 0, 1, 2, 2], "ready")
    assert set(upload.files.filter(name__endswith=".png").values_list("generator", flat=True)) == {"g0", "g1"}


FILES = {f"g/p/{number}.png": picture(number) for number in range(4)}


def ready_to_store() -> tuple[Upload, Job]:
    upload = brought(make_project(), FILES)
    return upload, request_storing(upload=upload, actor=None, send=False)


def test_a_worker_that_was_suspended_leaves_the_upload_to_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its lease is lost, another worker stores everything, and it comes back in the middle of that."""
    upload, job = ready_to_store()
    monkeypatch.setattr("annotator.uploads.storing.CHUNK", 2)
    real = storing.store_chunk
    seen: list[str] = []

    def suspended(upload: Upload, files: list[UploadedFile]) -> list[int]:
        stored = real(upload, files)
        if not seen:
            seen.append("suspended")
            expire(job)
            assert run_job(job.pk)
        upload.refresh_from_db()
        seen.append(upload.status)
        return stored

    monkeypatch.setattr(storing, "store_chunk", suspended)
    monkeypatch.setattr("annotator.work.leases.STORE_EVERY_SECONDS", 0)
    assert not run_job(job.pk)
    job.refresh_from_db()
    upload.refresh_from_db()
    assert (job.status, job.attempts, job.error, upload.status) == ("done", 2, "", "stored")
    assert Image.objects.count() == 4
    assert Event.objects.filter(verb="upload_stored").count() == 1
    assert "ready" not in seen


def test_a_worker_that_comes_back_does_not_release_what_another_stores() -> None:
    upload, job = ready_to_store()
    assert leases.claim(Job, job.pk)
    suspended = Job.objects.get(pk=job.pk)
    expire(job)
    assert leases.claim(Job, job.pk)
    taken = status.take_up(Job.objects.get(pk=job.pk), "storing")
    status.give_back(taken, suspended, "storing")
    upload.refresh_from_db()
    assert upload.status == "storing"


@pytest.mark.parametrize("place", ["start", "ended"])
def test_a_database_that_goes_while_a_job_hands_on(monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    """Both are stored or neither: no job fails because another has replaced it."""
    upload, job = ready_to_store()
    end_every_turn(monkeypatch)
    monkeypatch.setattr("annotator.uploads.storing.CHUNK", 2)

    def gone(*_: object, **__: object) -> None:
        raise OperationalError("terminating connection due to administrator command")

    with monkeypatch.context() as broken:
        broken.setattr(status, place, gone)
        assert not run_job(job.pk)
    while turn(upload) != "stored":
        pass
    assert set(Job.objects.values_list("status", "error")) == {("done", "")}
    assert Image.objects.count() == 4


@pytest.mark.usefixtures("media")
def test_a_worker_that_dies_has_stored_whole_images_and_the_next_one_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Neither while reading nor while storing does it get to say so."""
    monkeypatch.setattr("annotator.uploads.storing.CHUNK", 2)
    upload = bring(make_project(), FILES)
    for place, name, request in (
        (reading, "read_limited", request_reading),
        (storing, "store_chunk", request_storing),
    ):
        job = request(upload=upload, actor=None, send=False)
        with monkeypatch.context() as deadly:
            deadly.setattr(place, name, dying_the_second_time(getattr(place, name)))
            with pytest.raises(KeyboardInterrupt):
                run_job(job.pk)
        stored = Image.objects.all()
        assert len(stored) == counts(upload)["stored"] == 2 * (place is storing)
        assert all(image.file.read() == FILES[image.source_name] for image in stored)
        expire(job)
        assert run_job(job.pk)
        upload.refresh_from_db()
    assert (upload.status, counts(upload)["stored"], Image.objects.count()) == ("stored", 4, 4)
    assert all(image.file.read() == FILES[image.source_name] for image in Image.objects.all())
    for verb in ("upload_read", "upload_stored"):
        assert Event.objects.filter(verb=verb).count() == 1


def dying_the_second_time(real: Callable[..., Any]) -> Callable[..., Any]:
    calls: list[int] = []

    def act(*arguments: Any, **how: Any) -> Any:
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return real(*arguments, **how)

    return act

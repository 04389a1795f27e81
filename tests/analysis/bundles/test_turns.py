"""Bundles that take longer than a worker may: one job after the other does a part."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from shutil import rmtree

import pytest
from django.db import transaction
from django.test import Client

from analysis.bundles.restoring.restoring import Restoring
from analysis.bundles.restoring.uploaded import restore_upload, sweep_restoring
from annotator.images.storage import save_whole
from annotator.models import Event, Image, Job, Project, Upload, UploadedFile
from annotator.uploads.receiving import path_of
from annotator.web.views.uploads.upload_page import progress_of
from annotator.work import leases
from annotator.work.jobs import RUN_JOB, JobCancelled, Steps, cancel_job, run_job
from annotator.work.sending import MAKE_DISPLAY
from tests.analysis.bundles.bringing_back import (
    asked_for,
    next_of,
    pictures_of,
    stagings,
    until_pictures,
    with_short_turns,
)
from tests.analysis.bundles.making import bundle_of, exports_of, kept, make_picture, make_rich
from tests.analysis.factories import EARLIER, make_submitted
from tests.annotator.job_acts import expire
from tests.factories import LEAD, make_batch, make_member, make_project
from tests.support.codes import codes
from tests.support.messages import ids_sent_to

# Every case makes a whole project's bundle, or restores one.
pytestmark = [pytest.mark.django_db, pytest.mark.slow]


@pytest.fixture(autouse=True)
def unsent(monkeypatch: pytest.MonkeyPatch) -> None:
    """No worker hears of anything."""
    ids_sent_to(monkeypatch, MAKE_DISPLAY, RUN_JOB)


def make_bundle(path: Path) -> bytes:
    """A bundle of three images and three answers; its project is gone."""
    with transaction.atomic():
        project = make_project("three", name="Three")
        batch, person = make_batch(project, name="pilot"), make_member(project, code="anno1")
        for number in (1, 2, 3):
            image = make_picture(project, number=number)
            make_submitted(person, image=image, batch=batch, submitted_at=EARLIER, saved_at=EARLIER)
        contents = bundle_of(project, path / "three.zip", reports=False)
        transaction.set_rollback(True)
    rmtree(path / "media")
    return contents


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Job:
    """The first of many short turns with a bundle of three pictures."""
    bundle = make_bundle(tmp_path)
    with_short_turns(monkeypatch)
    return asked_for(make_project("target"), bundle)


def nothing_is_left(target: Project) -> None:
    assert not stagings().exists()
    assert not Image.everything.exists()
    assert not pictures_of(target)
    assert not Event.objects.filter(project=target, verb="restored").exists()
    assert not target.memberships.exists()


@pytest.mark.thorough
def test_many_turns_give_what_one_gives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rich = kept(make_rich, tmp_path)
    target = make_project("target", name=rich.name)
    with_short_turns(monkeypatch, pieces=4)
    # Two lines of a file in each turn, so that turns end within files as they do with many rows.
    monkeypatch.setattr("analysis.bundles.restoring.storing.CHUNK", 2)
    job, shares = asked_for(target, rich.bundle), []
    upload = Upload.objects.get()
    while not target.images.exists():
        following = next_of(job)
        job.refresh_from_db()
        assert (job.status, job.error) == ("done", "")
        upload.refresh_from_db()
        if following != job:
            assert job.result == {"words": "Another job continues."}
            assert stagings().count() <= 1
            shares.append(progress_of(upload).share)
        job = following
    assert job.result is not None
    assert job.result["words"] == "24 images and 36 annotations are restored."
    assert len(shares) > 25
    assert all(before <= after for before, after in pairwise(shares))
    assert 0 <= shares[0] < 0.1
    assert 0.95 < shares[-1] < 1
    assert (upload.status, stagings().count()) == ("stored", 0)
    assert Event.objects.filter(project=target, verb="restored").count() == 1
    target.refresh_from_db()
    assert exports_of(target) == rich.exports
    assert bundle_of(target, tmp_path / "again.zip") == rich.bundle


@pytest.mark.thorough
def test_a_worker_that_fell_silent_is_followed_by_one_that_goes_on(job: Job) -> None:
    job = until_pictures(job)
    (there,) = pictures_of(job.project)
    written = there.stat().st_mtime_ns
    # It was taken, and nothing was heard any more.
    assert leases.claim(Job, job.pk) is not None
    expire(job)
    while job != (following := next_of(job)):
        job = following
    job.refresh_from_db()
    assert (job.status, job.error, job.project.images.count()) == ("done", "", 3)
    assert there.stat().st_mtime_ns == written
    assert (stagings().count(), len(pictures_of(job.project))) == (0, 3)


def test_who_comes_back_from_a_silence_leaves_the_rows_alone(job: Job) -> None:
    """Two workers at the same rows: the second has taken over, the first stops and takes nothing away."""
    upload = Upload.objects.get()
    path = path_of(upload.files.get())
    overtaken = False

    def watch(done: int, total: int) -> None:
        nonlocal overtaken
        if not overtaken and stagings().exists() and pictures_of(job.project):
            overtaken = True
            made = Restoring(path, job.project, job=job.pk, watch=lambda *_: None).run(actor=None)
            assert (made.images, made.pictures, made.annotations) == (3, 3, 3)

    first = Restoring(path, job.project, job=job.pk, watch=watch)
    with pytest.raises(JobCancelled):
        first.run(actor=None)
    first.discard()
    assert overtaken
    assert (job.project.images.count(), len(pictures_of(job.project))) == (3, 3)
    assert Event.objects.filter(project=job.project, verb="restored").count() == 1


@pytest.mark.thorough
def test_cancelled_between_two_turns(job: Job, client: Client) -> None:
    job = until_pictures(job)
    target = job.project
    assert cancel_job(job=job, actor=None)
    assert not run_job(job.pk)
    sweep_restoring()
    nothing_is_left(target)
    job.refresh_from_db()
    assert (job.status, Upload.objects.get().status) == ("cancelled", "ready")
    lead = make_member(target, LEAD).user
    assert lead is not None
    client.force_login(lead)
    page = client.get(f"/projects/target/uploads/{Upload.objects.get().public_id}/")
    assert codes(page) == ["stopped", "bundle", "restore", "discard"]


def test_cancelled_within_a_turn(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    with_short_turns(monkeypatch, pieces=1000)

    def cancelling(name: str, contents: bytes) -> None:
        save_whole(name, contents)
        cancel_job(job=job, actor=None)

    monkeypatch.setattr("analysis.bundles.restoring.restoring.save_whole", cancelling)
    assert not run_job(job.pk)
    nothing_is_left(job.project)
    job.refresh_from_db()
    assert (job.status, Upload.objects.get().status) == ("cancelled", "ready")


@pytest.mark.thorough
def test_the_bundle_disappears_between_two_turns(job: Job) -> None:
    job = until_pictures(job)
    path_of(UploadedFile.objects.get()).unlink()
    assert next_of(job) == job
    nothing_is_left(job.project)
    job.refresh_from_db()
    assert (job.status, Upload.objects.get().status) == ("failed", "ready")
    assert job.error == "The upload no longer exists. Upload the bundle again."


@pytest.mark.thorough
def test_the_project_is_filled_between_two_turns(job: Job) -> None:
    job = until_pictures(job)
    there = make_picture(job.project)
    assert next_of(job) == job
    job.refresh_from_db()
    assert job.error.startswith("The project target is not empty: it has 1 image.")
    assert (stagings().count(), job.project.images.get()) == (0, there)
    assert [path.name for path in pictures_of(job.project)] == [Path(str(there.file.name)).name]


@pytest.mark.thorough
def test_asked_for_again_it_begins_anew(job: Job) -> None:
    job = until_pictures(job)
    cancel_job(job=job, actor=None)
    left = stagings().get()
    again = asked_for(job.project, path_of(UploadedFile.objects.get()).read_bytes())
    while again != (following := next_of(again)):
        again = following
    again.refresh_from_db()
    assert (again.status, again.error, job.project.images.count()) == ("done", "", 3)
    assert not Project.objects.filter(pk=left.pk).exists()


@pytest.mark.thorough
def test_a_sweep_leaves_what_a_job_goes_on_with(job: Job) -> None:
    job = until_pictures(job)
    before = stagings().get().slug
    sweep_restoring()
    assert stagings().get().slug == before
    assert Upload.objects.get().status == "storing"


@pytest.mark.thorough
def test_a_worker_that_died_at_the_very_end_had_done_it(job: Job) -> None:
    while job != (following := next_of(job)):
        job = following
    job.refresh_from_db()
    told = job.result
    Job.objects.filter(pk=job.pk).update(status="running", result=None, attempts=1)
    expire(job)
    assert run_job(job.pk)
    job.refresh_from_db()
    assert (job.status, job.result) == ("done", told)
    assert job.project.images.count() == 3


@pytest.mark.thorough
def test_no_page_leads_to_what_is_being_restored(job: Job, client: Client) -> None:
    job = until_pictures(job)
    staging = stagings().get()
    user = make_member(staging, LEAD).user
    assert user is not None
    client.force_login(user)
    assert client.get("/projects/").content.decode().count("Being restored") == 0
    assert client.get(f"/projects/{staging.slug}/").status_code == 404


def test_the_work_is_that_of_the_claim(job: Job) -> None:
    """A job that was taken over hands nothing on."""
    claim = leases.claim(Job, job.pk)
    assert claim is not None
    old = Job.objects.get(pk=job.pk)
    expire(job)
    later = leases.claim(Job, job.pk)
    assert later is not None
    with pytest.raises(JobCancelled):
        restore_upload(old, Steps(claim))
    assert Job.objects.count() == 1
    assert restore_upload(Job.objects.get(pk=job.pk), Steps(later)) is None
    job.refresh_from_db()
    assert (job.status, job.result) == ("done", {"words": "Another job continues."})
    assert Job.objects.count() == 2

"""What goes in, goes in whole and once: on a full disk, at once, and where names are taken meanwhile."""

from __future__ import annotations

import errno
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from annotator.images import storage
from annotator.models import Event, Image, Job, Project, UploadedFile
from annotator.uploads import storing
from annotator.uploads.status import counts
from annotator.uploads.upload_jobs import request_storing
from annotator.work import leases
from annotator.work.jobs import JobCancelled, JobRefused, cancel_job, run_job
from tests.annotator.job_acts import ended
from tests.annotator.racing import race
from tests.annotator.uploads.bringing import brought, path_of, picture, row, states, store
from tests.factories import make_image, make_project

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media")]
FILES = {f"g/p/{number}.png": picture(number) for number in range(1, 13)}


def originals(project: Project) -> list[Path]:
    folder = Path(settings.MEDIA_ROOT, "originals", str(project.pk))
    return sorted(path for path in folder.rglob("*") if path.is_file())


def test_what_is_ready_goes_in(project: Project) -> None:
    upload = brought(project, {**FILES, "odd.png": picture(99)})
    job = store(upload)
    assert job.result == {"words": "12 images stored; 1 still unclear.", "stored": 12}
    # The rest can still be said: the bytes stay.
    assert (upload.status, row(upload, "odd.png").state) == ("ready", "unclear")
    for image in Image.objects.all():
        assert image.file.read() == FILES[image.source_name]
        assert row(upload, image.source_name).image == image
    event = Event.objects.get(verb="upload_stored")
    assert (event.data["files"]["stored"], event.data["files"]["unclear"]) == (12, 1)


def test_a_write_that_fails_half_way(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    upload = brought(project, FILES)
    real = storage._write
    written: list[Path] = []

    def full(path: Path, contents: bytes) -> None:
        if len(written) == 5:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(contents[: len(contents) // 2])
            raise OSError(errno.ENOSPC, "No space left on device")
        written.append(path)
        real(path, contents)

    with monkeypatch.context() as changed:
        changed.setattr(storage, "_write", full)
        job = store(upload)
    assert job.status == "failed"
    assert job.error == (
        "“g/p/6.png” could not be stored (No space left on device). 5 images of this upload are stored; "
        "free some space, then store again to resume."
    )
    assert (upload.status, counts(upload)["stored"], counts(upload)["ready"]) == ("ready", 5, 7)
    assert len(originals(project)) == Image.objects.count() == 5
    assert not list(Path(settings.MEDIA_ROOT, "partial").glob("*"))
    assert store(upload).status == "done"
    assert (upload.status, Image.objects.count(), len(originals(project))) == ("stored", 12, 12)


def test_bytes_that_changed_or_went_are_refused(project: Project) -> None:
    upload = brought(project, FILES)
    path_of(row(upload, "g/p/1.png")).write_bytes(picture(77))
    path_of(row(upload, "g/p/2.png")).unlink()
    store(upload)
    assert (counts(upload)["stored"], counts(upload)["refused"], Image.objects.count()) == (10, 2, 10)
    changed = "“g/p/1.png”: its content has changed since it was checked; upload it again."
    gone = "“g/p/2.png”: it can no longer be read (No such file or directory); upload it again."
    assert [row(upload, name).problem for name in ("g/p/1.png", "g/p/2.png")] == [changed, gone]


def test_what_was_taken_since_it_was_read(project: Project) -> None:
    upload = brought(project, FILES)
    make_image(project, sha256=row(upload, "g/p/1.png").sha256)
    make_image(project, generator="g", prompt="p", number=2)
    store(upload)
    found = states(upload)
    assert (found["g/p/1.png"], found["g/p/2.png"]) == ("duplicate", "unclear")
    assert counts(upload)["stored"] == len(originals(project)) == 10
    assert "has the number of another image in the project" in row(upload, "g/p/2.png").problem


def test_a_cancelled_storing_keeps_what_is_in(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    upload = brought(project, FILES)
    job = request_storing(upload=upload, actor=None, send=False)
    real = storage.FilesTogether.__exit__

    def cancelling(files: storage.FilesTogether, *raised: Any) -> None:
        real(files, *raised)
        if len(originals(project)) == 4:
            cancel_job(job=job, actor=None)

    monkeypatch.setattr(storage.FilesTogether, "__exit__", cancelling)
    monkeypatch.setattr(storing, "CHUNK", 4)
    monkeypatch.setattr("annotator.work.leases.STORE_EVERY_SECONDS", 0)
    ended(job)
    upload.refresh_from_db()
    assert (job.status, upload.status, Image.objects.count()) == ("cancelled", "ready", 4)
    assert (counts(upload)["stored"], counts(upload)["ready"]) == (4, 8)
    assert store(upload).status == "done"
    assert Image.objects.count() == 12


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("turn", range(3))
@pytest.mark.few(1)
def test_two_uploads_of_the_same_pictures_stored_at_once(turn: int) -> None:
    project = make_project()
    uploads = [brought(project, FILES), brought(project, FILES)]
    jobs = [request_storing(upload=upload, actor=None, send=False) for upload in uploads]
    acts: list[Callable[[], Any]] = [lambda job=job: run_job(job.pk) for job in jobs]  # type: ignore[misc]
    assert race(acts) == [True, True]
    assert Image.objects.count() == len(originals(project)) == 12
    found = [counts(upload) for upload in uploads]
    assert found[0]["stored"] + found[1]["stored"] == 12
    assert found[0]["duplicate"] + found[1]["duplicate"] == 12
    stored = UploadedFile.objects.filter(state="stored").values_list("image", flat=True)
    assert sorted(stored) == sorted(Image.objects.values_list("pk", flat=True))


@pytest.mark.django_db(transaction=True)
def test_two_workers_at_one_upload() -> None:
    """A worker taken for dead comes back while another is at work; one of them ends the job."""
    project = make_project()
    upload = brought(project, FILES)
    job = request_storing(upload=upload, actor=None, send=False)

    assert leases.claim(Job, job.pk)
    job.refresh_from_db()

    class NeverStopped:
        """Neither is ever told to stop."""

        def __call__(self, done: int, total: int) -> None: ...

        def store(self, **_: object) -> None: ...

    outcomes = race([lambda: storing.run_storing(job, NeverStopped()) for _ in range(2)])  # type: ignore[arg-type]
    [late] = [outcome for outcome in outcomes if outcome is not None]
    # Refused: it began only after the other had ended the job.
    assert isinstance(late, JobCancelled) or (isinstance(late, JobRefused) and late.code == "status"), late
    assert Image.objects.count() == len(originals(project)) == counts(upload)["stored"] == 12
    upload.refresh_from_db()
    assert (upload.status, Event.objects.filter(verb="upload_stored").count()) == ("stored", 1)


def test_rows_come_after_folders_are_synced(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """A power cut may take back what was renamed into a folder that is not synced."""
    upload = brought(project, FILES)
    sync, add = storage._sync, storing._add
    synced: set[Path] = set()

    def watched(path: Path) -> None:
        sync(path)
        synced.add(path)

    def after(written: Sequence[Any]) -> list[int]:
        assert {path.parent for path in originals(project)} < synced
        return add(written)

    monkeypatch.setattr(storage, "_sync", watched)
    monkeypatch.setattr(storing, "_add", after)
    assert store(upload).status == "done"
    assert Image.objects.count() == 12


def test_files_without_a_number_share_generator_and_prompt(project: Project) -> None:
    upload = brought(project, {"g/p/a.png": picture(1), "g/p/b.png": picture(2)})
    upload.files.update(state="ready", generator="g", prompt="p", number=None)
    make_image(project, generator="g", prompt="p", number=None, sha256=row(upload, "g/p/a.png").sha256)
    store(upload)
    assert states(upload) == {"g/p/a.png": "duplicate", "g/p/b.png": "stored"}


def test_a_row_changed_meanwhile_is_left(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    upload = brought(project, FILES)
    real = storage.FilesTogether.save

    def changing(files: storage.FilesTogether, name: str, contents: bytes) -> None:
        real(files, name, contents)
        upload.files.filter(name="g/p/3.png").update(prompt="another")

    with monkeypatch.context() as changed:
        changed.setattr(storage.FilesTogether, "save", changing)
        store(upload)
    assert (row(upload, "g/p/3.png").state, Image.objects.count()) == ("ready", 11)
    store(upload)
    assert Image.objects.get(prompt="another").file.read() == FILES["g/p/3.png"]

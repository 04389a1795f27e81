"""Restore a bundle uploaded in the browser, by one worker after another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import InterfaceError, OperationalError
from django.urls import reverse
from django.utils import timezone

from analysis.bundles.restoring.archive import BundleRefused, counted
from analysis.bundles.restoring.restoring import Restored, Restoring, TimeSliceOver
from analysis.bundles.restoring.staging import RESTORED, discard_of, sweep
from annotator.database.transactions import write_transaction
from annotator.models import Event, Job, Upload, UploadedFile
from annotator.uploads.receiving import path_of
from annotator.uploads.status import UNDER_WAY, TimeSlice, give_back, go_on, take_up
from annotator.work.jobs import JobCancelled, JobRefused, Steps


def restore_upload(job: Job, steps: Steps) -> Mapping[str, Any] | None:
    """Run a job with the data `upload`; on an error the project stays empty and the upload unchanged.

    None if another job continues. A job that resumes another also has `begun`, the first job, and `checked`.
    """
    if (told := _told_before(job)) is not None:
        return told
    begun: int = job.data.get("begun", job.pk)
    upload = Upload.objects.filter(pk=job.data["upload"], project=job.project).first()
    files = UploadedFile.objects.filter(upload=upload, archive=None)
    file = files.exclude(state=UploadedFile.State.IGNORED).first() if upload else None
    if upload is None or file is None or not path_of(file).is_file():
        discard_of(job.project, begun)
        if upload is not None:
            give_back(upload, job, Upload.Status.STORING)
        raise JobRefused("The upload no longer exists. Upload the bundle again.")
    upload = take_up(job, Upload.Status.STORING)
    turn = TimeSlice()
    restoring = Restoring(
        path_of(file),
        job.project,
        watch=steps,
        job=begun,
        checked=job.data.get("checked", 0),
        me=job.data.get("me", ""),
        is_over=lambda: turn.is_over,
    )
    try:
        made = _run(restoring, job, upload)
        if made is None:
            more = {"begun": begun, "checked": restoring.checked, "me": job.data.get("me", "")}
            go_on(upload, job, Upload.Status.STORING, more=more)
            return None
    except (OperationalError, InterfaceError):
        # The job returns to the queue; the next worker resumes it.
        raise
    except JobCancelled:
        if Job.objects.filter(pk=job.pk).exclude(status=Job.Status.CANCELLED).exists():
            # Another worker has or will get it; keep the staging.
            raise
        _take_back(restoring, upload, job)
        raise
    except BaseException:
        _take_back(restoring, upload, job)
        raise
    return _result(job, made)


def sweep_restoring() -> None:
    """Delete stagings that no job resumes: cancelled, failed or abandoned."""
    sweep()
    left = Upload.objects.filter(kind=Upload.Kind.BUNDLE, status=Upload.Status.STORING)
    with write_transaction():
        left.exclude(job__status__in=UNDER_WAY).update(status=Upload.Status.READY)


def in_words(made: Restored) -> str:
    """Return what was restored as text."""
    counts = f"{counted(made.images, 'image')} and {counted(made.annotations, 'annotation')} are restored."
    return " ".join([counts, *made.remarks])


def _run(restoring: Restoring, job: Job, upload: Upload) -> Restored | None:
    """Return what was restored; None if the job's time is up. Raise JobRefused with the reason."""

    def stored() -> None:
        now = timezone.now()
        Upload.objects.filter(pk=upload.pk).update(status=Upload.Status.STORED, touched_at=now)

    try:
        return restoring.run(actor=job.requested_by, event={"job": job.pk}, then=stored)
    except TimeSliceOver:
        return None
    except BundleRefused as refused:
        raise JobRefused(str(refused)) from refused
    except OSError as error:
        raise JobRefused(f"The image files could not be stored: {error.strerror or error}.") from error


def _take_back(restoring: Restoring, upload: Upload, job: Job) -> None:
    restoring.discard()
    with write_transaction():
        give_back(upload, job, Upload.Status.STORING)


def _told_before(job: Job) -> dict[str, Any] | None:
    """Return the result of a job whose worker died after the transfer."""
    event = Event.objects.filter(project=job.project, verb=RESTORED, data__job=job.pk).first()
    if event is None:
        return None
    data = event.data
    made = Restored(images=data["images"], annotations=data["annotations"], remarks=data["remarks"])
    return _result(job, made)


def _result(job: Job, made: Restored) -> dict[str, Any]:
    return {"url": reverse("project", args=[job.project.slug]), "words": in_words(made)}

"""A bundle that came through the browser, read into its empty project by one worker after the other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import InterfaceError, OperationalError
from django.urls import reverse
from django.utils import timezone

from analysis.bundles.restoring.handing_over import RESTORED
from analysis.bundles.restoring.opened import BundleRefused, counted
from analysis.bundles.restoring.restoring import Restored, Restoring, TurnOver
from analysis.bundles.restoring.staging import discard_of, sweep
from annotator.database.transactions import write_transaction
from annotator.models import Event, Job, Upload, UploadedFile
from annotator.uploads.receiving import path_of
from annotator.uploads.status import UNDER_WAY, Turn, give_back, go_on, take_up
from annotator.work.jobs import JobCancelled, JobRefused, Steps


def restore_upload(job: Job, steps: Steps) -> Mapping[str, Any]:
    """Do a job whose data are `upload`; what is wrong leaves the project empty and the upload as it came.

    A job that goes on with another one's work has also `begun`, the first one, and `checked`.
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
            give_back(upload, Upload.Status.STORING)
        raise JobRefused("The upload is not there any more. Send the bundle again.")
    upload = take_up(job, Upload.Status.STORING)
    turn = Turn()
    restoring = Restoring(
        path_of(file),
        job.project,
        watch=steps,
        job=begun,
        checked=job.data.get("checked", 0),
        is_over=lambda: turn.is_over,
    )
    try:
        made = _run(restoring, job, upload)
        if made is None:
            more = {"begun": begun, "checked": restoring.checked}
            return go_on(upload, job, Upload.Status.STORING, more=more)
    except (OperationalError, InterfaceError):
        # The job goes back to the queue; whoever takes it goes on with what is there.
        raise
    except JobCancelled:
        if Job.objects.filter(pk=job.pk).exclude(status=Job.Status.CANCELLED).exists():
            # Another worker has it, or will: what is there is for that one.
            raise
        _take_back(restoring, upload)
        raise
    except BaseException:
        _take_back(restoring, upload)
        raise
    return _result(job, made)


def sweep_restoring() -> None:
    """Take away what was stored of bundles that no job goes on with: cancelled, failed, or given up."""
    sweep()
    left = Upload.objects.filter(kind=Upload.Kind.BUNDLE, status=Upload.Status.STORING)
    with write_transaction():
        left.exclude(job__status__in=UNDER_WAY).update(status=Upload.Status.READY)


def in_words(made: Restored) -> str:
    """Return what was restored, as people read it."""
    counts = f"{counted(made.images, 'image')} and {counted(made.annotations, 'annotation')} are restored."
    return " ".join([counts, *made.remarks])


def _run(restoring: Restoring, job: Job, upload: Upload) -> Restored | None:
    """What was restored; None where the turn is over. Raises JobRefused in words."""

    def stored() -> None:
        now = timezone.now()
        Upload.objects.filter(pk=upload.pk).update(status=Upload.Status.STORED, touched_at=now)

    try:
        return restoring.run(actor=job.requested_by, event={"job": job.pk}, then=stored)
    except TurnOver:
        return None
    except BundleRefused as refused:
        raise JobRefused(str(refused)) from refused
    except OSError as error:
        raise JobRefused(f"The pictures could not be stored: {error.strerror or error}.") from error


def _take_back(restoring: Restoring, upload: Upload) -> None:
    restoring.discard()
    with write_transaction():
        give_back(upload, Upload.Status.STORING)


def _told_before(job: Job) -> dict[str, Any] | None:
    """The result of a job whose worker died after the rows had changed hands."""
    event = Event.objects.filter(project=job.project, verb=RESTORED, data__job=job.pk).first()
    if event is None:
        return None
    data = event.data
    made = Restored(images=data["images"], annotations=data["annotations"], remarks=data["remarks"])
    return _result(job, made)


def _result(job: Job, made: Restored) -> dict[str, Any]:
    return {"url": reverse("project", args=[job.project.slug]), "words": in_words(made)}

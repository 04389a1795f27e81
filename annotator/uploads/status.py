"""How far an upload is, and who may change it: one job at a time, and nobody else meanwhile."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from typing import Any, Final
from uuid import UUID

from celery import current_task
from django.db.models import Count

from annotator.database.transactions import write_transaction
from annotator.models import Image, Job, Upload, UploadedFile, User
from annotator.uploads.receiving import touch
from annotator.uploads.refusals import UploadRefused
from annotator.work.jobs import JobRefused, request_job
from annotator.work.steps import JobCancelled

UNDER_WAY: Final = (Job.Status.QUEUED, Job.Status.RUNNING)
State: Final = UploadedFile.State
APPLY_PATTERN: Final = "apply_pattern"
LONGEST_TURN: Final = 120
"""Seconds: so long whoever has brought a sheet waits behind somebody's 100,000 pictures."""


def counts(upload: Upload) -> dict[str, int]:
    """How many files are in each state, archives' entries among them; every state is named."""
    rows = upload.files.order_by().values_list("state").annotate(count=Count("pk"))
    return {**dict.fromkeys(State.values, 0), **dict(rows)}


def pending_displays(upload: Upload) -> int:
    """How many of the images that an upload stored wait for their copy for display."""
    stored = upload.files.filter(state=State.STORED, image__display_state=Image.DisplayState.PENDING)
    return stored.count()


def is_busy(upload: Upload) -> bool:
    """Whether a job is at work on an upload, or about to be."""
    return upload.job is not None and upload.job.status in UNDER_WAY


def hold(upload: Upload, statuses: Collection[str]) -> Upload:
    """Lock an upload's row, inside a transaction, for a change that nothing else is to come between.

    Whoever changes it is still at it. A status that a dead job left behind counts as READY. Raises
    UploadRefused, in words, where the upload is in another status than these or a job is at work on it.
    """
    # Only a row that is held already tells which job it has: one joined in the same query may be an old one.
    Upload.objects.select_for_update().only("pk").get(pk=upload.pk)
    current = Upload.objects.select_related("job", "project").get(pk=upload.pk)
    if is_busy(current):
        raise UploadRefused("A job is at work on this upload; wait until it has ended, or cancel it.", "busy")
    status = current.status
    if status in (Upload.Status.READING, Upload.Status.STORING):
        status = Upload.Status.READY
    if status not in statuses:
        words = current.get_status_display().lower()
        raise UploadRefused(f"This upload cannot be changed that way: {words}.", "status")
    current.status = status
    touch(current)
    return current


def take_up(job: Job, status: str) -> Upload:
    """The upload of a job that begins. Raises JobRefused where it was discarded or another job has it.

    An attempt of the same job that ended before has given the upload back: it is taken up again.
    """
    own = Upload.objects.filter(pk=job.data["upload"], project=job.project_id, job=job)
    if own.filter(status__in=(status, Upload.Status.READY)).update(status=status) != 1:
        raise JobRefused("This upload was discarded, or something else was asked of it meanwhile.")
    return own.select_related("project").get()


def give_back(upload: Upload, status: str, to: str = Upload.Status.READY) -> None:
    """Say that an upload is no longer at `status`, however its job ended, unless another goes on with it."""
    Upload.objects.filter(pk=upload.pk, status=status, job=upload.job_id).update(status=to)


def start(
    upload: Upload,
    kind: str,
    status: str,
    *,
    actor: User | None,
    request_key: UUID | None = None,
    send: bool = True,
    more: Mapping[str, Any] | None = None,
) -> Job:
    """Store a job for an upload whose row is held, inside that transaction; `more` is added to its data."""
    data = {"upload": upload.pk, **(more or {})}
    job = request_job(
        project=upload.project,
        kind=kind,
        data=data,
        actor=actor,
        request_key=request_key,
        send=send,
        about="upload",
    )
    Upload.objects.filter(pk=upload.pk).update(status=status, job=job)
    return job


class Turn:
    """How long one job works at an upload before another goes on: a worker ends what takes too long."""

    def __init__(self) -> None:
        # A command has all the time there is.
        self._until = time.monotonic() + LONGEST_TURN if current_task else float("inf")

    @property
    def is_over(self) -> bool:
        """Whether the rest is for another job."""
        return time.monotonic() > self._until


def go_on(upload: Upload, job: Job, status: str, more: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Hand the rest of an upload to another job of the same kind; return what this one's result is.

    The other one begins with the progress that this one has reached. Raises JobCancelled, with no other job
    stored, where this one was cancelled or another worker is at it.
    """
    with write_transaction():
        mine = Job.objects.select_for_update(no_key=True).filter(
            pk=job.pk, status=Job.Status.RUNNING, attempts=job.attempts
        )
        if (now := mine.first()) is None:
            raise JobCancelled(f"{job} is no longer ours.")
        following = start(upload, job.kind, status, actor=job.requested_by, more=more)
        Job.objects.filter(pk=following.pk).update(progress=now.progress)
    return {"words": "Another job goes on with the rest."}

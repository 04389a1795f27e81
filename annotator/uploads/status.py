"""Status of an upload, exclusive access to it by one job at a time, and its rows in chunks."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from celery import current_task
from django.db import connection
from django.db.models import Count, QuerySet

from annotator.database.transactions import write_transaction
from annotator.models import Job, Project, Upload, UploadedFile, User
from annotator.uploads.receiving import UploadRefused, is_busy, touch
from annotator.work.jobs import JobRefused, request_job
from annotator.work.leases import JobCancelled, Steps, end

State: Final = UploadedFile.State
LONGEST_TURN: Final = 120
"""Seconds after which a job yields, so that others do not wait behind 100,000 images."""


def counts(upload: Upload) -> dict[str, int]:
    """Return the number of files in each state, including entries of archives; all states are keys."""
    rows = upload.files.order_by().values_list("state").annotate(count=Count("pk"))
    return {**dict.fromkeys(State.values, 0), **dict(rows)}


def unfinished_upload(project: Project) -> Upload | None:
    """Return the newest upload of a project that is neither stored nor discarded; None if there is none."""
    over = (Upload.Status.STORED, Upload.Status.DISCARDED)
    return project.uploads.exclude(status__in=over).order_by("-pk").first()


def hold(upload: Upload, statuses: Collection[str]) -> Upload:
    """Lock an upload's row, inside a transaction, for an exclusive change, and record activity.

    A status left behind by a dead job counts as READY. Raises UploadRefused if the upload has another status
    or a running job.
    """
    # Read the job after locking the row: one joined in the same query may be outdated.
    Upload.objects.select_for_update().only("pk").get(pk=upload.pk)
    current = Upload.objects.select_related("job", "project").get(pk=upload.pk)
    if is_busy(current):
        raise UploadRefused("A job is running for this upload. Wait until it ends, or cancel it.", "busy")
    status = current.status
    if status in (Upload.Status.READING, Upload.Status.STORING):
        status = Upload.Status.READY
    if status not in statuses:
        words = current.get_status_display().lower()
        raise UploadRefused(f"This upload cannot be changed: {words}.", "status")
    current.status = status
    touch(current)
    return current


def take_up(job: Job, status: str) -> Upload:
    """Return the upload of a job that starts. Raises JobRefused if it was discarded or has another job.

    A retry resumes the upload that an earlier attempt of the same job released.
    """
    mine = Upload.objects.filter(pk=job.data["upload"], project=job.project_id)
    own = mine.filter(job=job)
    if own.filter(status__in=(status, Upload.Status.READY)).update(status=status) != 1:
        now = mine.first()
        if now is None or now.status == Upload.Status.DISCARDED:
            raise JobRefused("This upload was discarded before its job began.", "discarded")
        if now.job_id != job.pk:
            raise JobRefused("A later job of this upload has replaced this one.", "replaced")
        raise JobRefused(f"This upload has nothing to do: {now.get_status_display().lower()}.", "status")
    return own.select_related("project").get()


def give_back(upload: Upload, job: Job, status: str, to: str = Upload.Status.READY) -> None:
    """Reset an upload from `status` after its job ended, unless another job or attempt continues."""
    mine = Upload.objects.filter(pk=upload.pk, status=status, job=job.pk)
    mine.filter(job__attempts=job.attempts).update(status=to)


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
    """Store a job for an upload whose row is locked, inside that transaction; `more` extends its data."""
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


def time_slice() -> Callable[[], bool]:
    """Return what tells whether a job that starts now has to leave the rest to another: see LONGEST_TURN."""
    # A command has no time limit.
    until = time.monotonic() + LONGEST_TURN if current_task else float("inf")
    return lambda: time.monotonic() > until


def go_on(upload: Upload, job: Job, status: str) -> None:
    """Continue an upload with another job of the same kind, and end this one.

    Both in one transaction: a worker that is lost between them would leave a job that another has replaced.
    The other job starts with this one's progress. Raises JobCancelled, without storing another job, if this
    one was cancelled or taken over.
    """
    with write_transaction():
        progress = ended(job, {"words": "Another job continues."})
        carried = {name: job.data[name] for name in ("images",) if name in job.data}
        following = start(upload, job.kind, status, actor=job.requested_by, more=carried)
        Job.objects.filter(pk=following.pk).update(progress=progress)


def ended(job: Job, result: Mapping[str, Any]) -> int:
    """End a running job as done, inside a transaction; return its progress in percent until then.

    Raises JobCancelled if it was cancelled or another worker has taken it over.
    """
    mine = Job.objects.filter(pk=job.pk, status=Job.Status.RUNNING, attempts=job.attempts)
    if (now := mine.select_for_update(no_key=True).first()) is None:
        raise JobCancelled(f"{job} has been taken over by another worker.")
    end(mine, status=Job.Status.DONE, progress=100, result=result)
    return int(now.progress)


def images_in_all(job: Job, steps: Steps, left: int) -> int:
    """Return how many images a job and the jobs that it continues have to do; `left` when the first begins.

    The number is kept in the row, so that the progress of a job that continues another one is right.
    """
    if "images" not in job.data:
        job.data["images"] = left
        steps.store(data=job.data)
    # Files may have come back in the meantime, after a correction.
    return max(left, int(job.data["images"]))


def in_chunks(files: QuerySet[UploadedFile], size: int) -> Iterator[list[UploadedFile]]:
    """Yield files in chunks in the order of their rows, even while their states change."""
    last = 0
    while chunk := list(files.filter(pk__gt=last).order_by("pk")[:size]):
        yield chunk
        last = chunk[-1].pk


def save_rows(files: Iterable[UploadedFile], columns: Sequence[str]) -> None:
    """Save these columns of locked rows, inside a transaction; faster than `bulk_update`."""
    fields = {field.attname: field for field in UploadedFile._meta.concrete_fields}
    saved = [fields[column] for column in columns]
    values = [
        [*(field.get_db_prep_save(getattr(file, field.attname), connection) for field in saved), file.pk]
        for file in files
    ]
    if values:
        quote = connection.ops.quote_name
        listed = ", ".join(f"{quote(str(field.column))} = %s" for field in saved)
        table = quote(UploadedFile._meta.db_table)
        with connection.cursor() as cursor:
            # Only names of our own table and columns.
            cursor.executemany(f"UPDATE {table} SET {listed} WHERE {quote('id')} = %s", values)  # noqa: S608

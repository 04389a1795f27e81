"""What queued work waits for, read from the rows: a worker, or the work before it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from django.db.models import Q

from annotator.models import Job, LeasedWork
from annotator.work.kinds import job_kind, kinds_that_read_files
from annotator.work.leases import UNDER_WAY
from annotator.work.liveness import worker_silent

NO_WORKER: Final = "Waiting for a worker: none is running."


@dataclass(frozen=True)
class Wait:
    """What a row waits for: a `code` and the sentence.

    The code is no-worker, fell-silent (a worker died at it), behind (others are before it), waiting (it is
    next) or awaits (it runs, and needs something else first).
    """

    code: str
    words: str


def wait_of(job: Job) -> Wait | None:
    """Return what a job waits for; None if nothing. At most one query, and those of its kind."""
    kind = job_kind(job.kind)
    if job.status == LeasedWork.Status.RUNNING and kind is not None and kind.awaits is not None:
        words = kind.awaits(job)
        return Wait("awaits", words) if words else None
    files = Q(kind__in=kinds_that_read_files())
    return queued_wait(job, files if kind is not None and kind.reads_files else ~files, "job")


def queued_wait(row: LeasedWork, same_queue: Q, thing: str) -> Wait | None:
    """Return what a queued row waits for; None if it is not queued.

    `same_queue` filters the rows that the same workers take, in the order of their requests; `thing` is what
    people call one of them.
    """
    if row.status != LeasedWork.Status.QUEUED:
        return None
    if worker_silent():
        return Wait("no-worker", NO_WORKER)
    if row.attempts:
        return Wait("fell-silent", "A worker stopped responding. Waiting for another worker.")
    model = type(row)
    before = model._default_manager.filter(same_queue, status__in=UNDER_WAY, pk__lt=row.pk).count()
    if not before:
        return Wait("waiting", "Starting soon…")
    many = f"1 {thing} is" if before == 1 else f"{before:,} {thing}s are"
    return Wait("behind", f"Waiting: {many} before this one.")

"""Jobs: requested once and done once, despite lost messages and crashed workers.

The row is authoritative. `request_job` writes it and sends a wake-up after the commit; `sweep_jobs` resends
lost wake-ups. `run_job` can be called any number of times for a row; only one call claims it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from typing import Any, Final
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Q

from annotator.database.transactions import write_transaction
from annotator.models import Event, Job, Project, User
from annotator.work import leases
from annotator.work.execution import WorkRefused, work_on
from annotator.work.kinds import job_kind, kinds_that_read_files
from annotator.work.leases import JobCancelled, Steps, sweep, wake
from annotator.work.sending import TaskName

__all__ = ["JobCancelled", "JobRefused", "Steps", "cancel_job", "request_job", "run_job", "sweep_jobs"]

RUN_JOB: Final = TaskName("annotator.tasks.run_job")
READ_FILE: Final = TaskName("annotator.tasks.read_file")


class JobRefused(WorkRefused):
    """A job is refused; the message is shown to users."""


def request_job(
    *,
    project: Project,
    kind: str,
    data: Mapping[str, Any],
    actor: User | None,
    request_key: UUID | None = None,
    send: bool = True,
    about: str = "",
) -> Job:
    """Store a job and send a wake-up after the commit; the same idempotency key returns the first job.

    With `send=False`, the caller runs the job in its own process. Raises KeyError for an unregistered kind,
    TypeError or ValueError for data that JSON cannot hold, JobRefused if the key belongs to another request:
    of another account, or with other data under `about`.
    """
    if job_kind(kind) is None:
        raise KeyError(kind)
    kept = json.loads(json.dumps(data, allow_nan=False))
    try:
        # The savepoint keeps the caller's transaction usable after a repeated request.
        with write_transaction(), transaction.atomic():
            job = Job.objects.create(
                project=project, kind=kind, data=kept, requested_by=actor, request_key=request_key
            )
    except IntegrityError:
        same = {about: kept[about]} if about else {}
        if earlier := earlier_job(project.pk, kind, actor, request_key, same):
            return earlier
        raise
    if send:
        transaction.on_commit(partial(send_wake_up, job.pk))
    return job


def earlier_job(
    project: int, kind: str, actor: User | None, request_key: UUID | None, same: Mapping[str, Any]
) -> Job | None:
    """Return the job with this key; raises JobRefused if another request has made it, or with other data."""
    earlier = Job.objects.filter(request_key=request_key).first() if request_key else None
    if earlier is None:
        return None
    asked = (project, kind, actor.pk if actor else None)
    if (earlier.project_id, earlier.kind, earlier.requested_by_id) != asked:
        raise JobRefused("This form was already used. Reload the page.", "key-reused")
    if any(earlier.data.get(name, value) != value for name, value in same.items()):
        raise JobRefused("This form was already used for another file. Reload the page.", "key-reused")
    return earlier


def cancel_job(*, job: Job, actor: User | None) -> bool:
    """Cancel a queued or running job with an Event; its worker stops at the next step."""
    with write_transaction():
        cancelled = leases.cancel(Job, job.pk)
        if cancelled:
            data = {"job": job.pk, "kind": job.kind}
            Event.objects.create(project_id=job.project_id, actor=actor, verb="job_cancelled", data=data)
    return cancelled


def run_job(job_id: int) -> bool:
    """Claim and run a job; return whether this call stored an outcome."""
    return work_on(Job, job_id, _result_of)


def send_wake_up(job_id: int) -> bool:
    """Notify the workers of a waiting job; return False if the broker is down."""
    reads = Job.objects.filter(pk=job_id, kind__in=kinds_that_read_files()).exists()
    return wake(Job, job_id, READ_FILE if reads else RUN_JOB)


def sweep_jobs() -> list[int]:
    """Resend lost wake-ups and jobs of dead workers; return the ids of the jobs sent."""
    files = Q(kind__in=kinds_that_read_files())
    return sweep(Job, RUN_JOB, ~files) + sweep(Job, READ_FILE, files)


def _result_of(job: Job, steps: Steps) -> dict[str, Any] | None:
    kind = job_kind(job.kind)
    if kind is None:
        raise JobRefused(f"This version of Anatomark does not support jobs of the kind “{job.kind}”.")
    # Numbers that JSON does not support (NaN) raise here and never reach the database.
    found = kind.run(job, steps)
    return None if found is None else {"result": json.loads(json.dumps(found, allow_nan=False))}

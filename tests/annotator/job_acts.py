"""Jobs that do what a test tells them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.utils import timezone

from annotator.models import Job, Project
from annotator.work.jobs import request_job, run_job
from annotator.work.kinds import Run
from annotator.work.leases import Steps


def ask(project: Project, kind: str = "counting", **data: Any) -> Job:
    """A queued job whose wake-up nobody sent."""
    return request_job(project=project, kind=kind, data=data, actor=None, send=False)


def expire(job: Job) -> None:
    """Let the lease have ended a second ago."""
    Job.objects.filter(pk=job.pk).update(lease_until=timezone.now() - timedelta(seconds=1))


def ended(job: Job) -> Job:
    """Run a job, whatever becomes of it."""
    run_job(job.pk)
    job.refresh_from_db()
    return job


def result_of(job: Job) -> dict[str, Any]:
    """Run a job, and return what came out; fail unless it is done."""
    assert ended(job).status == Job.Status.DONE, job.error
    return dict(job.result or {})


def counting(job: Job, steps: Steps) -> Mapping[str, Any]:
    """Count to the number asked for, a step each."""
    for done in range(job.data["to"]):
        steps(done, job.data["to"])
    return {"counted": job.data["to"]}


def raising(error: Exception) -> Run:
    """A job that ends in an error."""

    def run(job: Job, steps: Steps) -> Mapping[str, Any]:
        raise error

    return run


def returning(result: Mapping[str, Any]) -> Run:
    """A job with this result."""

    def run(job: Job, steps: Steps) -> Mapping[str, Any]:
        return result

    return run

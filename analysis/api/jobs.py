"""Background jobs: their progress and cancellation. For leads."""

from __future__ import annotations

from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from analysis.api import schemas
from analysis.api.paging import filled
from analysis.api.protocols import Naming
from analysis.api.routing import Routes
from analysis.api.security import person
from analysis.exports.export_jobs import EXPORT, expires_at
from analysis.exports.requests import ExportRequest
from annotator.models import Job
from annotator.people.access import job_as_lead
from annotator.work.jobs import cancel_job
from annotator.work.kinds import title_of
from annotator.work.waiting import wait_of

router = Routes("Jobs")


@router.reading("/jobs/{int:job}", schemas.Job, "job")
def read_job(request: HttpRequest, job: int) -> schemas.Job:
    """Read the status of a job in a project you lead."""
    return _with_wait(job_as_lead(person(request), job))


@router.writing("/jobs/{int:job}/cancel", schemas.Job, "job-cancel")
def cancel(request: HttpRequest, job: int) -> schemas.Job:
    """Cancel a job. A finished job does not change."""
    user = person(request)
    cancel_job(job=job_as_lead(user, job), actor=user)
    return _with_wait(job_as_lead(user, job))


def _with_wait(row: Job) -> schemas.Job:
    wait = wait_of(row)
    waits = {"waits_for": wait.words, "before": wait.before} if wait else {}
    return job_facts(row).model_copy(update=waits)


def job_facts(row: Job, naming: Naming | None = None) -> schemas.Job:
    """Return the facts of a job loaded with its project; for an export, also its protocol."""
    naming = naming or Naming(row.project_id)
    about = ExportRequest.from_json(row.data["request"]).protocol if row.kind == EXPORT else None
    end = expires_at(row) if row.kind == EXPORT else None
    fetchable = end is not None and end > timezone.now()
    return filled(
        schemas.Job,
        row,
        project=row.project.slug,
        title=title_of(row.kind),
        waits_for="",
        before=0,
        words=str((row.result or {}).get("words") or ""),
        file=reverse("api:export-file", args=[row.pk]) if fetchable else None,
        expires_at=end,
        **(naming.of(about) if about else {}),
    )

"""The page of a job: progress, cancellation and result."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from django_htmx.http import HTMX_STOP_POLLING

from annotator.models import Job, User
from annotator.people.access import job_as_lead
from annotator.web.views.pages import post_page, safe_page
from annotator.work.jobs import cancel_job
from annotator.work.kinds import job_kind, title_of
from annotator.work.leases import UNDER_WAY
from annotator.work.waiting import wait_of


@safe_page
def job(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the status of a job to the project's leads."""
    return render(request, "annotator/projects/job.html", _context(job_as_lead(request.user, pk)))


@require_safe
@never_cache
def job_status(request: HttpRequest, pk: int) -> HttpResponse:
    """Show only the status; polling stops when the job ends."""
    if not request.user.is_authenticated:
        # Reload the page, so that the sign-in form does not replace the status.
        return HttpResponse(status=HTMX_STOP_POLLING, headers={"HX-Refresh": "true"})
    found = job_as_lead(request.user, pk)
    status = 200 if found.status in UNDER_WAY else HTMX_STOP_POLLING
    return render(request, "annotator/projects/job_status.html", _context(found), status=status)


@post_page
def job_cancel(request: HttpRequest, pk: int) -> HttpResponse:
    """Cancel a job that is queued or running."""
    found = job_as_lead(request.user, pk)
    actor = request.user if isinstance(request.user, User) else None
    if not cancel_job(job=found, actor=actor):
        messages.info(request, "The job had already ended.", "too-late")
    return redirect("job", pk)


def _context(found: Job) -> dict[str, Any]:
    kind = job_kind(found.kind)
    return {
        "project": found.project,
        "section": kind.section if kind else "overview",
        "job": found,
        "title": title_of(found.kind),
        "under_way": found.status in UNDER_WAY,
        "wait": wait_of(found),
    }

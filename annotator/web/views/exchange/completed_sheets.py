"""Download a queue as a sheet; upload it completed: the annotator checks a preview, then submits."""

from __future__ import annotations

from functools import partial
from typing import Any, Final
from uuid import uuid4

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.text import slugify

from annotator.annotations.queue import queue_of
from annotator.exchange.completed_sheet_jobs import request_own_reading, request_own_storing, storing_of
from annotator.exchange.import_jobs import READ_OWN
from annotator.exchange.queue_sheet import NoSheet, queue_sheet
from annotator.models import Assignment, Batch, Job, Membership, User
from annotator.people.access import batch_as_lead, membership_of
from annotator.people.site_address import absolute
from annotator.web.forms.import_annotations import OwnSheetForm
from annotator.web.views.exchange.uploaded_file import reading_of, status_of
from annotator.web.views.idempotency import incomplete_form, key_of_form
from annotator.web.views.pages import form_page, post_page
from annotator.web.views.paging import page_of
from annotator.work.jobs import JobRefused
from annotator.work.leases import UNDER_WAY
from annotator.work.liveness import worker_silent

XLSX: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


@post_page
def batch_sheet(request: HttpRequest, pk: int) -> HttpResponse:
    """Send a lead the sheet of the annotator with a code."""
    batch = batch_as_lead(request.user, pk)
    code = request.POST.get("annotator", "").strip()
    member = waiting_people(batch).filter(code=code).first()
    if batch.status != Batch.Status.OPEN or member is None:
        told = f"“{code[:80]}” has no open images in this batch." if code else "Choose an annotator."
        messages.error(request, f"{told} No sheet was created.", "empty")
        return redirect("batch", batch.pk)
    return _file(request, batch, member)


@post_page
def own_sheet(request: HttpRequest, slug: str) -> HttpResponse:
    """Send the signed-in user the sheet of their own queue in one batch."""
    member = membership_of(request.user, slug)
    asked = request.POST.get("batch", "")
    mine = queue_of(member.pk).filter(batch__status=Batch.Status.OPEN).values("batch")
    batches = Batch.objects.select_related("project").filter(pk__in=mine)
    batch = batches.filter(pk=int(asked) if asked.isdecimal() and len(asked) < 19 else 0).first()
    if batch is None:
        messages.info(request, "You have no open images in this batch. No sheet was created.")
        return redirect("queue", slug)
    return _file(request, batch, member)


def waiting_people(batch: Batch) -> QuerySet[Membership]:
    """Return the members with open images in a batch."""
    waiting = batch.assignments.filter(status=Assignment.Status.OPEN)
    return Membership.objects.filter(pk__in=waiting.values("annotator")).order_by("code")


def _file(request: HttpRequest, batch: Batch, member: Membership) -> HttpResponse:
    assert isinstance(request.user, User)  # signed in
    site = absolute(request, "/")
    try:
        contents = queue_sheet(batch=batch, annotator=member, site=site, actor=request.user)
    except NoSheet as refused:
        messages.error(request, str(refused), "no-sheet")
        return redirect("queue" if member.user_id == request.user.pk else "project", batch.project.slug)
    name = f"{batch.project.slug}-queue-{slugify(member.code) or member.pk}-{timezone.now():%Y-%m-%d}.xlsx"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(contents, content_type=XLSX, headers=headers)


ROWS: Final = 25
FILES: Final = 10


@form_page
def own_sheets(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the form and the annotator's earlier sheets; on upload, redirect to the preview."""
    assert isinstance(request.user, User)  # signed in
    member = membership_of(request.user, slug)
    if request.method != "POST":
        return _sheets_page(request, member, OwnSheetForm())
    form = OwnSheetForm(request.POST, request.FILES)
    reading = reading_of(form, partial(request_own_reading, member=member, actor=request.user))
    if reading is None:
        return _sheets_page(request, member, form)
    return redirect("own_sheet_reading", slug, reading.pk)


@form_page
def own_sheet_reading(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Show the preview of an annotator's own sheet and, once it is confirmed, the outcome."""
    assert isinstance(request.user, User)  # signed in
    member = membership_of(request.user, slug)
    mine = Job.objects.filter(project=member.project_id, kind=READ_OWN, requested_by=request.user)
    reading = get_object_or_404(mine.select_related("project"), pk=pk)
    if request.method != "POST":
        return _reading_page(request, member, reading)
    key = key_of_form(request)
    if key is None:
        return incomplete_form()
    if reading.status != Job.Status.DONE:
        messages.info(request, "The sheet has not been read yet. Nothing was stored.")
        return redirect("own_sheet_reading", slug, pk)
    try:
        request_own_storing(reading=reading, actor=request.user, request_key=key)
    except JobRefused as refused:
        messages.error(request, str(refused), refused.code)
    return redirect("own_sheet_reading", slug, pk)


def _reading_page(request: HttpRequest, member: Membership, reading: Job) -> HttpResponse:
    storing = storing_of(reading)
    current = storing or reading
    facts = (reading.result or {}).get("reading")
    outcome = storing.result if storing is not None and storing.status == Job.Status.DONE else None
    refused = outcome["refused"] if outcome else facts["refused"] if facts else []
    context = _context(member) | {
        "reading": reading,
        "storing": storing,
        "current": current,
        "under_way": current.status in UNDER_WAY,
        "no_worker": current.status == Job.Status.QUEUED and worker_silent(),
        "facts": facts,
        "outcome": outcome,
        "may_accept": bool(facts and facts["ready_count"]) and (storing is None or _ended_badly(storing)),
        "ready": page_of(request, facts["ready"] if facts and not outcome else [], ROWS),
        "refused": page_of(request, refused, ROWS, name="refused"),
        "warnings": page_of(request, facts["warnings"] if facts else [], ROWS, name="warnings"),
    }
    return render(request, "annotator/exchange/completed_sheet.html", context)


def _ended_badly(job: Job) -> bool:
    return job.status in (Job.Status.FAILED, Job.Status.CANCELLED)


def _sheets_page(request: HttpRequest, member: Membership, form: OwnSheetForm) -> HttpResponse:
    jobs = Job.objects.filter(project=member.project_id, kind=READ_OWN, requested_by=member.user_id)
    context = _context(member) | {
        "form": form,
        "page": page_of(request, jobs.order_by("-pk").defer("result"), FILES),
    }
    return render(request, "annotator/exchange/completed_sheets.html", context, status=status_of(form))


def _context(member: Membership) -> dict[str, Any]:
    return {
        "project": member.project,
        "section": "overview",
        "is_lead": member.role == Membership.Role.LEAD,
        "key": uuid4(),
    }

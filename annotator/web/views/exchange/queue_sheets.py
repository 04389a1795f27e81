"""Download a queue as a spreadsheet: leads for any annotator of a batch, annotators for themselves."""

from __future__ import annotations

from typing import Final

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.text import slugify
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from annotator.annotations.queue import queue_of
from annotator.exchange.queue_sheet import NoSheet, queue_sheet
from annotator.models import Assignment, Batch, Membership, User
from annotator.people.access import batch_as_lead, membership_of
from annotator.people.site_address import absolute

XLSX: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


@require_POST
@never_cache
@login_required
def batch_sheet(request: HttpRequest, pk: int) -> HttpResponse:
    """Send a lead the spreadsheet of the annotator with a code."""
    batch = batch_as_lead(request.user, pk)
    code = request.POST.get("annotator", "").strip()
    member = waiting_people(batch).filter(code=code).first()
    if batch.status != Batch.Status.OPEN or member is None:
        told = f"“{code[:80]}” has no open images in this batch." if code else "Choose an annotator."
        messages.error(request, f"{told} No spreadsheet was created.", "empty")
        return redirect("batch", batch.pk)
    return _file(request, batch, member)


@require_POST
@never_cache
@login_required
def own_sheet(request: HttpRequest, slug: str) -> HttpResponse:
    """Send the signed-in user the spreadsheet of their own queue in one batch."""
    member = membership_of(request.user, slug)
    asked = request.POST.get("batch", "")
    mine = queue_of(member.pk).filter(batch__status=Batch.Status.OPEN).values("batch")
    batches = Batch.objects.select_related("project").filter(pk__in=mine)
    batch = batches.filter(pk=int(asked) if asked.isdecimal() and len(asked) < 19 else 0).first()
    if batch is None:
        messages.info(request, "You have no open images in this batch. No spreadsheet was created.")
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

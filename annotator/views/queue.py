"""A person's queue: what is done, what is begun, and the one button that goes on."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotator.access import membership_of
from annotator.models import Annotation, Assignment, Membership
from annotator.places import in_order, with_places
from annotator.queue import next_assignment, queue_page, queue_progress
from annotator.views.paging import page_of
from annotator.views.submitted import just_submitted

DRAFTS_SHOWN = 10
SUBMITTED_SHOWN = 20


@require_safe
@never_cache
@login_required
def queue(request: HttpRequest, slug: str) -> HttpResponse:
    """Show one project's queue of the signed-in person."""
    membership = membership_of(request.user, slug)
    begun = queue_page(membership).filter(annotation__isnull=False)
    drafts = begun.exclude(annotation__status=Annotation.Status.SUBMITTED)
    submitted = begun.filter(annotation__status=Annotation.Status.SUBMITTED)
    progress = queue_progress(membership)
    context = {
        "membership": membership,
        "project": membership.project,
        "is_lead": membership.role == Membership.Role.LEAD,
        "progress": progress,
        "left": progress.left,
        "upcoming": next_assignment(membership),
        "drafts": page_of(request, in_order(with_places(drafts)), DRAFTS_SHOWN, name="drafts"),
        "submitted": page_of(request, in_order(with_places(submitted)), SUBMITTED_SHOWN),
        "after": just_submitted(request, membership),
        "open": Assignment.Status.OPEN,
    }
    return render(request, "annotator/queue.html", context)

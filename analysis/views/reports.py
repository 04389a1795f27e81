"""The page of a kind of report as it stands now."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import HTMX_STOP_POLLING

from analysis.access import known_kind, membership_seeing_numbers
from analysis.reports import cancel_report, newest, newest_done, request_report
from analysis.standing import Standing, standing
from analysis.views.files import json_file
from analysis.views.readings import reading_context
from annotator.models import Membership
from annotator.overview import annotations_with_problems
from annotator.unread import answers_without_numbers


@require_safe
@never_cache
@login_required
def report(request: HttpRequest, slug: str, kind: str) -> HttpResponse:
    """Show how a report stands, and its numbers if there are any."""
    membership = membership_seeing_numbers(request.user, slug)
    stand = standing(membership.project, known_kind(kind))
    unread = uncounted = 0
    if stand.shown:
        unread = annotations_with_problems(membership.project).count()
        # They are among the others: where there are none of those, nothing is asked.
        uncounted = answers_without_numbers(membership.project).count() if unread else 0
    left_out = {"unread": unread - uncounted, "uncounted": uncounted}
    return render(request, "analysis/report.html", {**_context(membership, stand), **left_out})


@require_safe
@never_cache
def report_status(request: HttpRequest, slug: str, kind: str) -> HttpResponse:
    """Show the status alone; at the end of a computation the numbers too, and polling stops."""
    if not request.user.is_authenticated:
        # The page itself then leads to the sign-in; a login form inside the status would help nobody.
        return HttpResponse(status=HTMX_STOP_POLLING, headers={"HX-Refresh": "true"})
    membership = membership_seeing_numbers(request.user, slug)
    stand = standing(membership.project, known_kind(kind))
    if stand.under_way:
        context = {"stand": stand, "project": membership.project}
        return render(request, "analysis/status.html", context)
    return render(request, "analysis/finished.html", _context(membership, stand), status=HTMX_STOP_POLLING)


@require_POST
@login_required
def report_refresh(request: HttpRequest, slug: str, kind: str) -> HttpResponse:
    """Ask for new numbers; a worker finds out whether anything has changed."""
    membership = membership_seeing_numbers(request.user, slug)
    request_report(project=membership.project, kind=known_kind(kind), actor=membership.user)
    return redirect("report", slug, kind)


@require_POST
@login_required
def report_cancel(request: HttpRequest, slug: str, kind: str) -> HttpResponse:
    """Cancel the computation under way."""
    membership = membership_seeing_numbers(request.user, slug)
    latest = newest(membership.project, known_kind(kind))
    if latest is None or not cancel_report(latest):
        messages.info(request, "The computation had ended before it could be cancelled.", "too-late")
    return redirect("report", slug, kind)


@require_safe
@never_cache
@login_required
def report_json(request: HttpRequest, slug: str, kind: str) -> HttpResponse:
    """Send the newest finished report as a file, the JSON that `manage.py report --json` prints."""
    membership = membership_seeing_numbers(request.user, slug)
    found = newest_done(membership.project, known_kind(kind))
    if found is None:
        raise Http404("Nothing was computed yet.")
    return json_file(found, slug)


def _context(membership: Membership, stand: Standing) -> dict[str, Any]:
    return {
        "project": membership.project,
        "is_lead": membership.role == Membership.Role.LEAD,
        "stand": stand,
        "report": stand.shown,
        **(reading_context(stand.shown, membership.project) if stand.shown else {}),
    }

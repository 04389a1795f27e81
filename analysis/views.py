"""Pages of reports and downloads of exports."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from analysis.access import membership_seeing_numbers
from analysis.exports.files import Export
from analysis.exports.layouts import LAYOUTS
from analysis.models import Report
from analysis.reports import newest_done, request_report
from analysis.shapes import in_order
from analysis.standing import Standing, standing
from analysis.tables.report import report_tables
from annotator.access import project_as_lead
from annotator.models import Membership
from annotator.overview import annotations_with_problems

# htmx stops polling at this status.
STOP_POLLING = 286


@require_safe
@never_cache
@login_required
def report(request: HttpRequest, slug: str, kind: str) -> HttpResponse:
    """Show how a report stands, and its numbers if there are any."""
    membership = membership_seeing_numbers(request.user, slug)
    stand = standing(membership.project, _known(kind))
    unread = annotations_with_problems(membership.project).count() if stand.shown else 0
    return render(request, "analysis/report.html", {**_context(membership, stand), "unread": unread})


@require_safe
@never_cache
def report_status(request: HttpRequest, slug: str, kind: str) -> HttpResponse:
    """Show the status alone; at the end of a computation the numbers too, and polling stops."""
    if not request.user.is_authenticated:
        # The page itself then leads to the sign-in; a login form inside the status would help nobody.
        return HttpResponse(status=STOP_POLLING, headers={"HX-Refresh": "true"})
    membership = membership_seeing_numbers(request.user, slug)
    stand = standing(membership.project, _known(kind))
    if stand.under_way:
        context = {"stand": stand, "project": membership.project}
        return render(request, "analysis/status.html", context)
    return render(request, "analysis/finished.html", _context(membership, stand), status=STOP_POLLING)


@require_POST
@login_required
def report_refresh(request: HttpRequest, slug: str, kind: str) -> HttpResponse:
    """Ask for new numbers, unless nothing has changed."""
    membership = membership_seeing_numbers(request.user, slug)
    asked = request_report(project=membership.project, kind=_known(kind), actor=membership.user)
    if asked.status == Report.Status.DONE:
        messages.info(request, "Nothing has changed since these numbers were computed: they still hold.")
    return redirect("report", slug, kind)


@require_safe
@never_cache
@login_required
def report_json(request: HttpRequest, slug: str, kind: str) -> HttpResponse:
    """Send the newest finished report as a file, the JSON that `manage.py report --json` prints."""
    membership = membership_seeing_numbers(request.user, slug)
    found = newest_done(membership.project, _known(kind))
    if found is None:
        raise Http404("Nothing was computed yet.")
    name = f"{slug}-{kind}-{found.finished_at or timezone.now():%Y-%m-%d}.json"
    return JsonResponse(
        in_order(found.result),
        json_dumps_params={"ensure_ascii": False, "indent": 2},
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


@require_safe
@never_cache
@login_required
def export(request: HttpRequest, slug: str, layout: str) -> StreamingHttpResponse:
    """Stream the project's submitted annotations as CSV, to its lead."""
    project = project_as_lead(request.user, slug)
    if layout not in LAYOUTS:
        raise Http404("No such layout.")
    name = f"{slug}-{layout}-{timezone.now():%Y-%m-%d}.csv"
    return StreamingHttpResponse(
        Export(project, LAYOUTS[layout]),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


def _known(kind: str) -> str:
    if kind not in Report.Kind.values:
        raise Http404("No such report.")
    return kind


def _context(membership: Membership, stand: Standing) -> dict[str, Any]:
    return {
        "project": membership.project,
        "is_lead": membership.role == Membership.Role.LEAD,
        "stand": stand,
        "tables": report_tables(stand.shown, membership.project) if stand.shown else [],
    }

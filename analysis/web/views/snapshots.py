"""Finished reports: one at its own URL, the list, and a comparison of two."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from analysis.access import finished_report, known_kind, membership_seeing_numbers
from analysis.models import Report
from analysis.reports.lifecycle import finished, keep
from analysis.tables.report import report_tables
from analysis.tables.report_differences import ComparedEstimate, NamedEstimate, side_by_side
from analysis.web.views.files import csv_file, json_file
from analysis.web.views.report_pages import reading_context
from annotator.models import Membership
from annotator.web.views.paging import page_of
from annotator.web.views.protocol_choice import ChosenProtocol, chosen_protocol

ROWS = 20


@require_safe
@never_cache
@login_required
def report_snapshot(request: HttpRequest, slug: str, kind: str, pk: int) -> HttpResponse:
    """Show one finished report, which never changes."""
    membership = membership_seeing_numbers(request.user, slug)
    report = finished_report(membership, kind, pk)
    newer = finished(membership.project, kind, report.protocol).filter(pk__gt=pk).defer("result").first()
    chosen = chosen_protocol(request, membership.project).about(report.protocol)
    context = {**_context(membership, kind, chosen), "report": report, "newer": newer}
    context |= reading_context(report, membership, chosen)
    return render(request, "analysis/snapshots/snapshot.html", context)


@require_POST
@login_required
def report_keep(request: HttpRequest, slug: str, kind: str, pk: int) -> HttpResponse:
    """Keep a report that would otherwise be deleted."""
    membership = membership_seeing_numbers(request.user, slug)
    keep(finished_report(membership, kind, pk))
    messages.success(request, "The report is kept permanently at this address.", "kept")
    return redirect("report_snapshot", slug, kind, pk)


@require_safe
@never_cache
@login_required
def snapshot_json(request: HttpRequest, slug: str, kind: str, pk: int) -> HttpResponse:
    """Send a finished report as JSON."""
    membership = membership_seeing_numbers(request.user, slug)
    return json_file(finished_report(membership, kind, pk), slug)


@require_safe
@never_cache
@login_required
def snapshot_csv(request: HttpRequest, slug: str, kind: str, pk: int, table: str) -> HttpResponse:
    """Send one table of a finished report as CSV."""
    membership = membership_seeing_numbers(request.user, slug)
    report = finished_report(membership, kind, pk)
    for found in report_tables(report, membership.project):
        if found.slug == table:
            return csv_file(report, found, slug)
    raise Http404("Unknown table.")


@require_safe
@never_cache
@login_required
def report_earlier(request: HttpRequest, slug: str, kind: str) -> HttpResponse:
    """List the finished reports of a kind, newest first, to open or compare."""
    membership = membership_seeing_numbers(request.user, slug)
    chosen = chosen_protocol(request, membership.project)
    reports = finished(membership.project, known_kind(kind, membership), chosen.slug).defer("result")
    context = {**_context(membership, kind, chosen), "reports": page_of(request, reports, ROWS)}
    return render(request, "analysis/snapshots/earlier_snapshots.html", context)


@require_safe
@never_cache
@login_required
def report_changes(request: HttpRequest, slug: str, kind: str) -> HttpResponse:
    """Show the differences between two finished reports, `before` and `after`."""
    membership = membership_seeing_numbers(request.user, slug)
    chosen = chosen_protocol(request, membership.project)
    two = _two(request)
    if two is None:
        messages.error(request, "Choose two different reports to compare.", "two-reports")
        return redirect(reverse("report_earlier", args=[slug, known_kind(kind, membership)]) + chosen.query)
    before, after = (finished_report(membership, kind, pk) for pk in two)
    about = {report.protocol for report in (before, after)}
    if len(about) > 1:
        raise Http404("These reports have different protocols.")
    context = _context(membership, kind, chosen.about(after.protocol))
    estimates = side_by_side(before, after)
    more = ComparedEstimate(
        "", NamedEstimate(before.annotations), NamedEstimate(after.annotations)
    ).difference_in(0)
    context |= {"before": before, "after": after, "estimates": estimates, "more_annotations": more}
    return render(request, "analysis/snapshots/snapshot_changes.html", context)


def _two(request: HttpRequest) -> tuple[int, int] | None:
    """Return the two requested reports, the earlier one first."""
    try:
        first, second = sorted(int(request.GET.get(name, "")) for name in ("before", "after"))
    except ValueError:
        return None
    return (first, second) if 0 < first < second < 2**63 else None


def _context(membership: Membership, kind: str, chosen: ChosenProtocol) -> dict[str, Any]:
    return {
        "chosen": chosen,
        "project": membership.project,
        "is_lead": membership.role == Membership.Role.LEAD,
        "kind": kind,
        "title": Report.Kind(known_kind(kind, membership)).label,
    }

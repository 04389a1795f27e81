"""Parts of a finished report: a section, fetched when it is opened, and a table as a file."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django_htmx.middleware import HtmxDetails

from analysis.models import Report
from analysis.reports.stored import OVERLAP, finished_report, in_overlap
from analysis.tables.generic import result_tables
from analysis.web.views.files import csv_file
from analysis.web.views.report_pages import reading_context
from annotator.models import Membership
from annotator.people.access import membership_seeing_numbers
from annotator.web.views.pages import safe_page
from annotator.web.views.protocol_choice import chosen_protocol


@safe_page
def report_section(request: HttpRequest, slug: str, kind: str, pk: int, name: str) -> HttpResponse:
    """Show one section of a finished report: a piece for htmx, otherwise a page."""
    membership = membership_seeing_numbers(request.user, slug)
    report, switch = in_overlap(finished_report(membership, kind, pk), request.GET.get(OVERLAP, ""))
    chosen = chosen_protocol(request, membership.project).about(report.protocol)
    context = reading_context(report, membership, chosen, switch)
    reading = context["reading"]
    section = next((part for part in reading.sections if part.slug == name), None)
    if section is None:
        raise Http404("Unknown section.")
    context |= {
        "section": section,
        "kind": kind,
        "title": Report.Kind(kind).label,
        "project": membership.project,
        "report": report,
        "chosen": chosen,
        "is_lead": membership.role == Membership.Role.LEAD,
    }
    template = "section_inside" if HtmxDetails(request) else "section_page"
    return render(request, f"analysis/sections/{template}.html", context)


@safe_page
def report_table(request: HttpRequest, slug: str, kind: str, pk: int, table: str) -> HttpResponse:
    """Send one table of a finished report as CSV."""
    membership = membership_seeing_numbers(request.user, slug)
    report = finished_report(membership, kind, pk)
    for made_table in result_tables(report.result or {}):
        if made_table.slug == table:
            return csv_file(report, made_table, slug)
    raise Http404("Unknown table.")

"""Reports: how they stand, their numbers, and asking for new ones. For leads and reviewers."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from ninja import Query, Router
from ninja.responses import Status

from analysis.access import finished_report, known_kind, membership_seeing_numbers
from analysis.api import schemas
from analysis.api.paging import Paging, page_of
from analysis.api.refusals import Missing
from analysis.api.routing import READING, WRITING
from analysis.api.security import person
from analysis.models import Report
from analysis.reports import cancel_report, finished, newest, request_report
from analysis.shapes import in_order
from analysis.standing import standing
from annotator.models import Project

router = Router(tags=["Reports"])

KIND = "/projects/{slug:slug}/reports/{slug:kind}"


@router.get(f"{KIND}/status", response={200: schemas.ReportStanding, **READING}, url_name="report-status")
def report_status(request: HttpRequest, slug: str, kind: str) -> schemas.ReportStanding:
    """Say whether a report is under way, and whether the newest one still holds.

    Kinds: `agreement`, `comparison`, `annotators`.
    """
    return _standing(membership_seeing_numbers(person(request), slug).project, known_kind(kind))


@router.get(f"{KIND}/all", response={200: schemas.Reports, **READING}, url_name="reports")
def list_reports(request: HttpRequest, slug: str, kind: str, paging: Query[Paging]) -> schemas.Reports:
    """List the finished reports of a kind without their numbers, the newest first."""
    project = membership_seeing_numbers(person(request), slug).project
    found = finished(project, known_kind(kind)).defer("result")
    rows, following = page_of(found, paging, order=["-pk"])
    return schemas.Reports(items=[schemas.ReportFacts(**_facts(row)) for row in rows], next=following)


@router.get(KIND, response={200: schemas.Report, **READING}, url_name="report")
def read_newest(request: HttpRequest, slug: str, kind: str) -> schemas.Report:
    """Read the newest finished report of a kind, with every digit."""
    project = membership_seeing_numbers(person(request), slug).project
    found = finished(project, known_kind(kind)).first()
    if found is None:
        raise Missing("Nothing was computed yet.")
    return _report(found)


@router.get(f"{KIND}/{{int:report}}", response={200: schemas.Report, **READING}, url_name="snapshot")
def read_report(request: HttpRequest, slug: str, kind: str, report: int) -> schemas.Report:
    """Read one finished report: the same numbers for ever."""
    return _report(finished_report(membership_seeing_numbers(person(request), slug), kind, report))


@router.post(f"{KIND}/refresh", response={202: schemas.ReportStanding, **WRITING}, url_name="report-refresh")
def refresh(request: HttpRequest, slug: str, kind: str) -> Status[schemas.ReportStanding]:
    """Ask for new numbers; where nothing has changed the newest report still holds."""
    own = membership_seeing_numbers(person(request), slug)
    request_report(project=own.project, kind=known_kind(kind), actor=person(request))
    return Status(202, _standing(own.project, kind))


@router.post(f"{KIND}/cancel", response={200: schemas.ReportStanding, **WRITING}, url_name="report-cancel")
def cancel(request: HttpRequest, slug: str, kind: str) -> schemas.ReportStanding:
    """Cancel the computation under way; where none is, nothing happens."""
    project = membership_seeing_numbers(person(request), slug).project
    latest = newest(project, known_kind(kind))
    if latest is not None:
        cancel_report(latest)
    return _standing(project, kind)


def _standing(project: Project, kind: str) -> schemas.ReportStanding:
    stand = standing(project, kind)
    return schemas.ReportStanding(
        kind=kind,
        newest=schemas.ReportFacts(**_facts(stand.shown)) if stand.shown else None,
        latest=_request(stand.latest) if stand.latest else None,
        stale=stand.stale,
    )


def _request(row: Report) -> schemas.ReportRequest:
    return schemas.ReportRequest(
        status=row.status, progress=row.progress, error=row.error, created_at=row.created_at
    )


def _report(row: Report) -> schemas.Report:
    return schemas.Report(**_facts(row), result=in_order(row.result or {}))


def _facts(row: Report) -> dict[str, Any]:
    names = ("kind", "annotations", "code_version", "input_digest", "kept")
    facts = {name: getattr(row, name) for name in names}
    return {"id": row.pk, "computed_at": row.finished_at or row.created_at, **facts}

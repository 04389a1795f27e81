"""Reports: status, results and refreshes. For leads and reviewers."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from ninja import Query
from ninja.responses import Status
from pydantic import Field

from analysis.access import known_kind, membership_seeing_numbers
from analysis.api import schemas
from analysis.api.paging import Shape, filled
from analysis.api.protocols import About, Naming, protocol_asked_for
from analysis.api.refusals import Invalid, Missing
from analysis.api.routing import Routes
from analysis.api.security import person
from analysis.models import Report
from analysis.reports.key_order import in_order
from analysis.reports.lifecycle import cancel_report, finished, newest, request_report
from analysis.reports.stages import UNMARKED_AS_ZERO
from analysis.reports.status import status_of
from annotator.models import Membership, Project


class Wishes(About):
    """The protocol and the assumptions of a report."""

    unmarked_as_zero: bool | None = Field(
        None,
        description="For the report `stages`, leads only: count images left out of stage 2, for lack of "
        "marks in stage 1, as 0. Default: the setting of the previous report.",
    )


router = Routes("Reports")

KIND = "/projects/{slug:slug}/reports/{slug:kind}"


@router.reading(f"{KIND}/status", schemas.ReportStanding, "report-status")
def report_status(request: HttpRequest, slug: str, kind: str, asked: Query[About]) -> schemas.ReportStanding:
    """Read the status of a report: whether one is running and whether the newest is up to date.

    Kinds: `agreement`, `comparison`, `annotators`, `ranking`, `stages`, `across` and, for leads only,
    `quality` and `data_set`.
    """
    own = membership_seeing_numbers(person(request), slug)
    project = own.project
    return _standing(project, known_kind(kind, own), protocol_asked_for(project, asked.protocol))


@router.reading(KIND, schemas.Report, "report")
def read_newest(request: HttpRequest, slug: str, kind: str, asked: Query[About]) -> schemas.Report:
    """Read the newest finished report of a kind, unrounded."""
    own = membership_seeing_numbers(person(request), slug)
    project = own.project
    found = finished(project, known_kind(kind, own), protocol_asked_for(project, asked.protocol)).first()
    if found is None:
        raise Missing("No report has been computed yet.")
    return _report(found)


@router.writing(f"{KIND}/refresh", schemas.ReportStanding, "report-refresh", status=202)
def refresh(
    request: HttpRequest, slug: str, kind: str, asked: Query[Wishes]
) -> Status[schemas.ReportStanding]:
    """Request a new report. If nothing has changed, the newest report remains current."""
    own = membership_seeing_numbers(person(request), slug)
    protocol = protocol_asked_for(own.project, asked.protocol)
    request_report(
        project=own.project,
        kind=known_kind(kind, own),
        protocol=protocol,
        actor=person(request),
        settings=_settings(own, kind, asked.unmarked_as_zero),
    )
    return Status(202, _standing(own.project, kind, protocol))


@router.writing(f"{KIND}/cancel", schemas.ReportStanding, "report-cancel")
def cancel(request: HttpRequest, slug: str, kind: str, asked: Query[About]) -> schemas.ReportStanding:
    """Cancel the running computation, if any."""
    own = membership_seeing_numbers(person(request), slug)
    project = own.project
    protocol = protocol_asked_for(project, asked.protocol)
    latest = newest(project, known_kind(kind, own), protocol)
    if latest is not None:
        cancel_report(latest)
    return _standing(project, kind, protocol)


def _settings(own: Membership, kind: str, unmarked_as_zero: bool | None) -> dict[str, bool] | None:
    """Return a lead's settings for a two-stage report, None if not given; raise Invalid."""
    if unmarked_as_zero is None:
        return None
    if kind != Report.Kind.STAGES:
        raise Invalid({UNMARKED_AS_ZERO: ["Only the report `stages` has this setting."]})
    if own.role != Membership.Role.LEAD:
        raise Invalid({UNMARKED_AS_ZERO: ["Only a lead can change this setting."]})
    return {UNMARKED_AS_ZERO: True} if unmarked_as_zero else {}


def _standing(project: Project, kind: str, protocol: str) -> schemas.ReportStanding:
    stand, naming = status_of(project, kind, protocol), Naming(project)
    return schemas.ReportStanding(
        kind=kind,
        newest=_report_of(schemas.ReportFacts, stand.shown, naming) if stand.shown else None,
        latest=filled(schemas.ReportRequest, stand.latest) if stand.latest else None,
        stale=stand.stale,
        **naming.of(protocol),
    )


def _report(row: Report) -> schemas.Report:
    return _report_of(schemas.Report, row, Naming(row.project_id), result=in_order(row.result or {}))


def _report_of(shape: type[Shape], row: Report, naming: Naming, **facts: Any) -> Shape:
    computed_at = row.finished_at or row.created_at
    return filled(shape, row, computed_at=computed_at, **naming.of(row.protocol), **facts)

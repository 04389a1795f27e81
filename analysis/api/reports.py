"""Finished reports. For leads and reviewers."""

from datetime import datetime
from typing import Any, Final

from django.db.models import QuerySet
from django.http import HttpRequest
from ninja import Field, Query, Router, Schema
from ninja.pagination import paginate

from analysis import models
from analysis.access import finished_report, known_kind, membership_seeing_numbers
from analysis.api.refusals import REFUSALS, Missing
from analysis.api.requests import About, Pages, ProtocolSlug, person, protocol_asked_for
from analysis.reports.key_order import in_order
from analysis.reports.lifecycle import finished

router: Final = Router(tags=["Reports"])


class ReportFacts(Schema):
    """A finished report without its result."""

    id: int
    kind: str
    protocol: str
    computed_at: datetime = Field(alias="finished_at")
    annotations: int = Field(description="Number of annotations it counts.")
    code_version: str
    input_digest: str
    kept: bool


class Report(ReportFacts):
    """A finished report. Its result never changes."""

    result: dict[str, Any] = Field(description="As described in docs/reference/statistics.md.")

    @staticmethod
    def resolve_result(row: models.Report) -> dict[str, Any]:
        """Return the result, its keys in documented order."""
        ordered: dict[str, Any] = in_order(row.result or {})
        return ordered


class ReportFilters(Schema):
    """Filters for reports."""

    protocol: ProtocolSlug = None


KIND: Final = "/projects/{slug:slug}/reports/{slug:kind}"


@router.get(f"{KIND}/all", response={200: list[ReportFacts], **REFUSALS}, url_name="reports")
@paginate(Pages, ordering="-pk")
def list_reports(
    request: HttpRequest, slug: str, kind: str, filters: Query[ReportFilters]
) -> QuerySet[models.Report]:
    """List the finished reports of a kind without their results, newest first.

    Kinds: `agreement`, `comparison`, `annotators`, `ranking`, `stages`, `across` and, for leads only,
    `quality` and `data_set`.
    """
    own = membership_seeing_numbers(person(request), slug)
    reports = own.project.reports.filter(kind=known_kind(kind, own), status=models.Report.Status.DONE)
    if filters.protocol is not None:
        reports = reports.filter(protocol=protocol_asked_for(own.project, filters.protocol))
    return reports.defer("result", "excerpt")


@router.get(KIND, response={200: Report, **REFUSALS}, url_name="report")
def read_newest(request: HttpRequest, slug: str, kind: str, asked: Query[About]) -> models.Report:
    """Read the newest finished report of a kind, unrounded."""
    own = membership_seeing_numbers(person(request), slug)
    protocol = protocol_asked_for(own.project, asked.protocol)
    newest = finished(own.project, known_kind(kind, own), protocol).first()
    if newest is None:
        raise Missing("No report has been computed yet.")
    return newest


@router.get(f"{KIND}/{{int:report}}", response={200: Report, **REFUSALS}, url_name="snapshot")
def read_report(request: HttpRequest, slug: str, kind: str, report: int) -> models.Report:
    """Read one finished report. Its result never changes, so cite its URL."""
    return finished_report(membership_seeing_numbers(person(request), slug), kind, report)

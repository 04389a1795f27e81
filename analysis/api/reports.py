"""Finished reports. For leads and reviewers."""

from datetime import datetime
from typing import Any, Final

from django.http import HttpRequest
from ninja import Field, Query, Router, Schema

from analysis import models
from analysis.api.refusals import REFUSALS, Missing
from analysis.api.requests import About, person, protocol_asked_for
from analysis.reports.key_order import in_order
from analysis.reports.stored import finished, known_kind
from annotator.people.access import membership_seeing_numbers

router: Final = Router(tags=["Reports"])


class Report(Schema):
    """A finished report."""

    id: int
    kind: str
    protocol: str
    computed_at: datetime = Field(alias="finished_at")
    annotations: int = Field(description="Number of annotations it counts.")
    code_version: str
    input_digest: str
    result: dict[str, Any] = Field(description="As described in docs/reference/statistics.md.")

    @staticmethod
    def resolve_result(row: models.Report) -> dict[str, Any]:
        """Return the result, its keys in documented order."""
        ordered: dict[str, Any] = in_order(row.result or {})
        return ordered


@router.get(
    "/projects/{slug:slug}/reports/{slug:kind}", response={200: Report, **REFUSALS}, url_name="report"
)
def read_newest(request: HttpRequest, slug: str, kind: str, asked: Query[About]) -> models.Report:
    """Read the newest finished report of a kind, unrounded.

    Kinds: `agreement`, `comparison`, `stages`, `across`, `suggestions` and, for leads only, `quality` and
    `data_set`.
    """
    own = membership_seeing_numbers(person(request), slug)
    protocol = protocol_asked_for(own.project, asked.protocol)
    newest = finished(own.project, known_kind(kind, own), protocol).first()
    if newest is None:
        raise Missing("No report has been computed yet.")
    return newest

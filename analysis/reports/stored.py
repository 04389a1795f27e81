"""What is read of stored reports: the newest of a kind, their excerpts, and both sides of an overlap switch.

Agreement counts the images drawn at random, and all of them under *All*; a comparison counts every
annotation, and under *Random* only those that were not requested because of a doubt. Both are stored in one
result.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404

from analysis.models import Report
from annotator.models import Membership, Project
from annotator.models.work import DEFAULT_PROTOCOL

Result = Mapping[str, Any]
OVERLAP: Final = "overlap"
RANDOM: Final = "random"
ALL: Final = "all"
OWN_SIDE: Final[Mapping[str, str]] = {Report.Kind.AGREEMENT: RANDOM, Report.Kind.COMPARISON: ALL}
"""What each kind of report counts by itself."""
FOR_LEADS: Final = (Report.Kind.QUALITY, Report.Kind.DATA_SET)


@dataclass(frozen=True)
class OverlapSwitch:
    """The switch of a report: the side shown, whether it is the other one, and the images of each."""

    shown: str
    switched: bool
    random: int
    all: int


def finished(project: Project | int, kind: str, protocol: str = DEFAULT_PROTOCOL) -> QuerySet[Report]:
    """Return the finished reports of a kind, newest first."""
    return Report.objects.filter(project=project, kind=kind, protocol=protocol, status=Report.Status.DONE)


def newest_done(project: Project | int, kind: str, protocol: str = DEFAULT_PROTOCOL) -> Report | None:
    """Return the newest finished report, if any."""
    return finished(project, kind, protocol).defer("result").first()


def newest(project: Project | int, kind: str, protocol: str = DEFAULT_PROTOCOL) -> Report | None:
    """Return the latest request, whatever its status."""
    reports = Report.objects.filter(project=project, kind=kind, protocol=protocol)
    return reports.defer("result").first()


def source_of(report: Report) -> str:
    """Return the protocol of the annotations that a finished report counts: its own, or one shown as it."""
    about: Result = (report.result or {}).get("protocol", {})
    return about.get("shown_from") or report.protocol


def excerpt_of(report: Report | None) -> Result:
    """Return the excerpt of a report; {} without a report, and of a kind that no other page shows."""
    return (report.excerpt if report else None) or {}


def in_overlap(report: Report, side: str) -> tuple[Report, OverlapSwitch | None]:
    """Return a report as its switch shows it, in memory, and the switch; None if it has none."""
    overlap = (report.result or {}).get(OVERLAP)
    own = OWN_SIDE.get(report.kind)
    if not overlap or own is None:
        return report, None
    switched = side != own and side in overlap and side != "images"
    if switched:
        report.result = {**(report.result or {}), **overlap[side]}
        if side == ALL:
            report.result.pop("targeted", None)
    return report, OverlapSwitch(side if switched else own, switched, **overlap["images"])


def known_kind(kind: str, membership: Membership) -> str:
    """Return the report kind named in a URL; raise Http404 for any other.

    The quality of people's work and the data set are for leads alone.
    """
    for_leads = kind in FOR_LEADS and membership.role != Membership.Role.LEAD
    if kind not in Report.Kind.values or for_leads:
        raise Http404("No such report.")
    return kind


def finished_report(membership: Membership, kind: str, pk: int) -> Report:
    """Return a finished report of the membership's project; raise Http404."""
    reports = Report.objects.filter(project=membership.project, kind=known_kind(kind, membership))
    return get_object_or_404(reports.filter(status=Report.Status.DONE), pk=pk)

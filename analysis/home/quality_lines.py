"""What the newest quality reports say of each annotator; one query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Max, QuerySet
from django.db.models.fields.json import KeyTransform

from analysis.models import Report
from analysis.tables.quality import reasons_of
from annotator.models import Project


@dataclass(frozen=True)
class QualityLine:
    """What a quality report says of one annotator; `reasons` are phrases, none if nothing is to be done."""

    protocol: str
    verdict: str
    codes: Sequence[str]
    reasons: Sequence[str]
    images: Sequence[int]


def newest_reports(projects: Sequence[Project], kind: str) -> QuerySet[Report]:
    """Return the newest finished report of a kind under each protocol of each project."""
    done = Report.objects.filter(project__in=projects, kind=kind, status=Report.Status.DONE)
    newest = done.order_by().values("project", "protocol").annotate(newest=Max("pk")).values("newest")
    return Report.objects.filter(pk__in=newest).order_by("pk")


def quality_lines_of(projects: Sequence[Project]) -> dict[tuple[int, str], list[QualityLine]]:
    """Return project and annotator's code → their lines, of the newest report of each protocol."""
    rows = newest_reports(projects, Report.Kind.QUALITY)
    by_person: dict[tuple[int, str], list[QualityLine]] = {}
    columns = ("project", "protocol", KeyTransform("lines", "result"), KeyTransform("settings", "result"))
    for project, protocol, lines, settings in rows.values_list(*columns):
        for line in lines or ():
            key = (project, line["annotator"])
            by_person.setdefault(key, []).append(_line(protocol, line, settings))
    return by_person


def _line(protocol: str, line: Mapping[str, Any], settings: Mapping[str, Any]) -> QualityLine:
    reasons = reasons_of(line, {"settings": settings})
    return QualityLine(protocol, line["verdict"], line["reasons"], reasons, line["images"])

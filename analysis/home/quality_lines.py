"""What the newest quality reports say of each annotator; one query."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db.models import Max, QuerySet
from django.db.models.fields.json import KeyTransform

from analysis.models import Report
from analysis.tables.quality import reasons_of
from annotator.models import Project


def newest_reports(projects: Sequence[Project], kind: str) -> QuerySet[Report]:
    """Return the newest finished report of a kind under each protocol of each project."""
    done = Report.objects.filter(project__in=projects, kind=kind, status=Report.Status.DONE)
    newest = done.order_by().values("project", "protocol").annotate(newest=Max("pk")).values("newest")
    return Report.objects.filter(pk__in=newest).order_by("pk")


def quality_lines_of(projects: Sequence[Project]) -> dict[tuple[int, str], list[dict[str, Any]]]:
    """Return project and annotator's code → their lines, of the newest report of each protocol.

    A line is that of the report, with its `protocol` and the reasons as `phrases`, none if it needs nobody.
    """
    rows = newest_reports(projects, Report.Kind.QUALITY)
    by_person: dict[tuple[int, str], list[dict[str, Any]]] = {}
    columns = ("project", "protocol", KeyTransform("lines", "result"), KeyTransform("settings", "result"))
    for project, protocol, lines, settings in rows.values_list(*columns):
        for line in lines or ():
            phrases = reasons_of(line, {"settings": settings})
            of_person = by_person.setdefault((project, line["annotator"]), [])
            of_person.append({**line, "protocol": protocol, "phrases": phrases})
    return by_person

"""How much waits for a lead's decision: the number beside “Review” on every page of a project."""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache
from typing import Any, Final

from django.db.models import (
    Count,
    Exists,
    FilteredRelation,
    IntegerField,
    Max,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
)
from django.db.models.functions import Coalesce

from analysis.models import Report
from analysis.reports.disagreements import disputed, images_apart
from annotator.annotations.unreadable import unread_annotations
from annotator.models import Adjudication, Image, Project, Question
from scoring.service import get_protocol

REMEMBERED: Final = 256
MOST: Final = 999
"""Larger counts are shown as “999+”."""


def at_most(count: int) -> str:
    """Return a count as it is shown, “999+” if it is larger than `MOST`."""
    return str(count) if count <= MOST else f"{MOST}+"


def waiting_for_review(project: Project) -> int:
    """Return the number of open questions, import problems, and disagreements that nobody has adjudicated.

    One query, and one for each protocol with a report; what a report lists is read once per process.
    """
    done = Q(reports__kind=Report.Kind.AGREEMENT, reports__status=Report.Status.DONE)
    rows = (
        Project.objects.filter(pk=project.pk)
        .annotate(**_WAITING, done=FilteredRelation("reports", condition=done))
        .order_by()
        .values_list("asked", "unread", "undecided", "done__protocol")
        .annotate(Max("done"), Max("done__finished_at"))
    )
    counts = list(rows)
    listed = [
        _not_adjudicated(protocol, _listed(report, at)) for *_, protocol, report, at in counts if report
    ]
    return sum(counts[0][:3]) + sum(listed) if counts else 0


def open_questions() -> QuerySet[Question]:
    """Return open questions and flags."""
    return Question.objects.filter(state=Question.State.OPEN)


def _number_of(rows: QuerySet[Any], by: str) -> Coalesce:
    own = rows.filter(**{by: OuterRef("pk")}).order_by()
    grouped = own.values(by).annotate(number=Count("pk")).values("number")
    return Coalesce(Subquery(grouped, output_field=IntegerField()), 0)


# Built once, because every page of a lead counts them.
_WAITING: Final = {
    "asked": _number_of(open_questions(), "project"),
    "unread": _number_of(unread_annotations(), "assignment__batch__project"),
    "undecided": _number_of(disputed(), "project"),
}


@lru_cache(maxsize=REMEMBERED)
def _listed(report: int, _finished: datetime | None) -> tuple[int, ...]:
    """Return the images on whose cells a report's annotators differ; a finished report never changes."""
    return tuple(images_apart(Report.objects.defer("result").get(pk=report)))


def _not_adjudicated(protocol: str, listed: tuple[int, ...]) -> int:
    rules = get_protocol(protocol)
    if rules.decide or not rules.adjudicated:
        return 0
    adjudicated = Adjudication.objects.filter(
        image=OuterRef("pk"), protocol=protocol, status=Adjudication.Status.ADJUDICATED
    )
    return Image.objects.filter(~Exists(adjudicated), pk__in=listed).count() if listed else 0

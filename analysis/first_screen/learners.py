"""Annotators who train or qualify, and have no work to watch yet."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from django.db.models import Count, Exists, OuterRef, Q

from annotator.models import Assignment, Batch, Project

MOST: Final = 50
_LEARNING: Final = (Assignment.Purpose.TRAINING, Assignment.Purpose.QUALIFICATION)


@dataclass(frozen=True)
class Learner:
    """Somebody who has judged `done` of `total` images of a training or qualification batch."""

    code: str
    purpose: str
    done: int
    total: int


def learners_of(project: Project, protocol: str, known: Collection[str]) -> list[Learner]:
    """Return who has images left in the latest pass of an open batch, by code; at most `MOST`, one query.

    Leaves out annotators `known` by their code.
    """
    learning = Assignment.objects.filter(purpose__in=_LEARNING)
    # SQLite does not know how few assignments are for learning, and would read all of a batch of work.
    taught = Exists(learning.filter(batch=OuterRef("pk")))
    rows = (
        learning.filter(
            batch__in=project.batches.filter(taught, status=Batch.Status.OPEN, protocol=protocol),
            annotator__is_active=True,
            position__isnull=False,
        )
        .order_by()
        .values_list("annotator__code", "purpose", "batch", "pass_no")
        .annotate(total=Count("pk"), done=Count("pk", filter=~Q(status=Assignment.Status.OPEN)))
        .order_by("annotator__code", "batch", "pass_no")
    )
    found: dict[str, Learner] = {}
    for code, purpose, _, _, total, done in rows:
        if code not in known and done < total:
            found[code] = Learner(code, purpose, done, total)
    return list(found.values())[:MOST]

"""The position of an assignment in its annotator's queue: the 37 of "37 of 75".

Each training and each qualification is counted by itself, and so is everything imported: what is annotated
here begins with 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from django.db.models import Case, Count, F, IntegerField, OuterRef, Q, QuerySet, Subquery, Value, When
from django.db.models.functions import Coalesce

from annotator.database.prepared import Prepared
from annotator.models import Assignment, Batch
from annotator.models.counting import is_labelled_here, per_row

_LESSONS: Final = (Assignment.Purpose.TRAINING, Assignment.Purpose.QUALIFICATION)
LAST_POSITION: Final = 2**31 - 1
"""The largest position that both databases hold."""


@dataclass(frozen=True)
class Position:
    """The place of an assignment (from 1) among the `total` counted with it, of which `done` are finished.

    `before` and `after` are the primary keys of its neighbours. A withdrawn assignment has place 0.
    """

    place: int
    done: int
    total: int
    before: int | None
    after: int | None


def position_before(assignment: Assignment, first: Assignment | None) -> Position:
    """Return an assignment's place and its annotator's progress, given their first open one (None: none is).

    One query. Positions in a batch run from 1 without gaps, so a batch's last position is its length, and
    everything before the first open assignment is finished. Only those finished out of order are counted.
    """
    # A withdrawn assignment has no position; treat it as before its batch.
    own, position = assignment.batch_id, assignment.position or 0
    imported = assignment.batch.is_imported
    # Nothing imported is open.
    first = None if imported else first
    opened = (first.batch_id, first.position or 0) if first else ()
    whose = (assignment.annotator_id, assignment.batch.project_id)
    rows = _BATCHES[imported].rows(*whose, own, position, *opened)
    if assignment.purpose in _LESSONS:
        counted = [row for row in rows if row[0] == own]
    else:
        counted = [row for row in rows if row[3] not in _LESSONS]
    done = sum(ahead for _, _, ahead, *_ in counted)
    for batch, length, *_ in counted:
        if first is None or batch < first.batch_id:
            done += length
        elif batch == first.batch_id:
            done += (first.position or 1) - 1
    return Position(
        place=sum(length for batch, length, *_ in counted if batch < own) + position,
        done=done,
        total=sum(length for _, length, *_ in counted),
        before=next((before for *_, before, _ in reversed(rows) if before), None),
        after=next((after for *_, after in rows if after), None),
    )


def _counted(
    imported: bool, annotator: int, project: int, here: int, position: int, *first: int
) -> QuerySet[Batch, Any]:
    """Return the query of the batches of a queue around a position in the batch `here`.

    Columns: batch, number of assignments, closed ones after the first open one (`first` is its batch and
    position), the purpose of the last, and the primary keys of the last assignment before the position and of
    the first after it.
    """
    own = Assignment.objects.filter(annotator=annotator, batch=OuterRef("pk"))
    last = own.order_by("-position")
    length, purpose = Coalesce(Subquery(last.values("position")[:1]), 0), Subquery(last.values("purpose")[:1])
    edge = Case(When(pk=here, then=position), When(pk__lt=here, then=LAST_POSITION), default=0)
    labelled_here = Q(prompt_seen__in=(Batch.Seen.AS_SET, Batch.Seen.VARIED))
    whose = ~labelled_here if imported else labelled_here
    batches = (
        Batch.objects.filter(whose, project=project).order_by("pk").alias(passed=_passed(*first), edge=edge)
    )
    closed = own.filter(position__gt=OuterRef("passed"))
    # One count per status: an index serves an equality better than a choice of two.
    done, skipped = (
        per_row(closed.filter(status=status).order_by().values("annotator"), Count("pk"))
        for status in (Assignment.Status.DONE, Assignment.Status.SKIPPED)
    )
    before = own.filter(position__lt=OuterRef("edge")).order_by("-position").values("pk")[:1]
    after = own.filter(position__gt=OuterRef("edge")).order_by("position").values("pk")[:1]
    return batches.values_list("pk", length, done + skipped, purpose, Subquery(before), Subquery(after))


_BATCHES: Final = {imported: Prepared(partial(_counted, imported)) for imported in (False, True)}


def _passed(*first: int) -> Case:
    """Return the position in a batch up to which nothing is counted; its end if nothing is open."""
    whole = Value(LAST_POSITION)
    if not first:
        return Case(default=whole, output_field=IntegerField())
    batch, position = first
    return Case(
        When(status=Batch.Status.CLOSED, then=whole),
        When(pk=batch, then=position),
        When(pk__gt=batch, then=0),
        default=whole,
    )


def with_places(assignments: QuerySet[Assignment]) -> QuerySet[Assignment]:
    """Annotate each assignment with its `place`. Each is counted separately, so use it for single pages."""
    made_here = Case(When(is_labelled_here(), then=1), default=0, output_field=IntegerField())
    assignments = assignments.alias(made_here=made_here)
    placed = Assignment.objects.alias(made_here=made_here).exclude(purpose__in=_LESSONS)
    placed = placed.filter(
        annotator=OuterRef("annotator"), position__isnull=False, made_here=OuterRef("made_here")
    )
    here = Q(batch=OuterRef("batch"), position__lte=OuterRef("position"))
    up_to_here = placed.filter(Q(batch__lt=OuterRef("batch")) | here)
    counted = up_to_here.order_by().values("annotator").annotate(count=Count("pk")).values("count")
    return assignments.annotate(
        place=Case(
            When(purpose__in=_LESSONS, then=F("position")),
            default=Subquery(counted, output_field=IntegerField()),
        )
    )


def in_order(assignments: QuerySet[Assignment]) -> QuerySet[Assignment]:
    """Sort by save time, the latest first and unsaved ones last."""
    return assignments.order_by(F("annotation__saved_at").desc(nulls_last=True), "-pk")

"""What is counted, and how it is counted for each row of a list in the same query."""

from __future__ import annotations

from typing import Any

from django.db.models import Count, Exists, IntegerField, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotator.models import Assignment, Batch


def is_work(assignment: str = "") -> Q:
    """Assignments whose answers count, or what belongs to them; `assignment` leads there: `assignment__`.

    What was answered in training, to be compared with a reference or for a second time by the same person
    enters no score, no agreement, no progress, and no export that does not ask for it. The queue of whoever
    answers holds all of it alike.
    """
    return Q((f"{assignment}purpose", Assignment.Purpose.WORK))


def mark_random(batch: Batch) -> int:
    """Mark what several people judge in a batch as drawn for that at random; return how many rows changed.

    One statement, for whoever has given images of the batch out. What was asked for because of what had been
    said of an image stays as it is, and makes nobody's answer a shared one; nor does a second answer of the
    same person.
    """
    placed = Assignment.objects.filter(is_work(), batch=batch, position__isnull=False)
    drawn = placed.exclude(drawn=Assignment.Drawn.TARGETED)
    others = drawn.filter(image=OuterRef("image")).exclude(annotator=OuterRef("annotator"))
    found = placed.filter(Exists(others), drawn=Assignment.Drawn.SINGLE)
    return found.update(drawn=Assignment.Drawn.RANDOM)


def per_row(grouped: QuerySet[Any, Any], count: Count) -> Coalesce:
    """Return the count of a correlated, grouped query as a column; 0 where nothing belongs to the row.

    Joins would multiply each other; one subquery per count does not.
    """
    counted = grouped.annotate(count=count).values("count")
    return Coalesce(Subquery(counted, output_field=IntegerField()), 0)

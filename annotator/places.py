"""Where an assignment stands in its annotator's order: the 37 of "37 of 75"."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, F, IntegerField, OuterRef, Q, QuerySet, Subquery

from annotator.models import Assignment


@dataclass(frozen=True)
class Standing:
    """The place of one assignment (from 1) among its annotator's `total`, of which `done` are closed."""

    place: int
    done: int
    total: int


def standing(assignment: Assignment) -> Standing:
    """Count an assignment's place and its annotator's progress, in one query."""
    up_to_here = Q(batch__lt=assignment.batch_id) | Q(
        batch=assignment.batch_id, position__lte=assignment.position
    )
    counts = Assignment.objects.filter(annotator=assignment.annotator_id).aggregate(
        place=Count("pk", filter=up_to_here),
        done=Count("pk", filter=~Q(status=Assignment.Status.OPEN)),
        total=Count("pk"),
    )
    return Standing(**counts)


def with_places(assignments: QuerySet[Assignment]) -> QuerySet[Assignment]:
    """Add `place` to each assignment. For the few rows of a page: each is counted on its own."""
    up_to_here = Assignment.objects.filter(annotator=OuterRef("annotator")).filter(
        Q(batch__lt=OuterRef("batch")) | Q(batch=OuterRef("batch"), position__lte=OuterRef("position"))
    )
    counted = up_to_here.order_by().values("annotator").annotate(count=Count("pk")).values("count")
    return assignments.annotate(place=Subquery(counted, output_field=IntegerField()))


def in_order(assignments: QuerySet[Assignment]) -> QuerySet[Assignment]:
    """Sort by what was saved last; what was never saved comes last."""
    return assignments.order_by(F("annotation__saved_at").desc(nulls_last=True), "-pk")

"""What a person has to do, in their order: by batch, then by position.

A batch that is being prepared is not there yet, and a withdrawn assignment is not there any more. What a
closed batch holds can be read, but is nobody's next image.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from django.db.models import Count, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotator.database.prepared import Prepared
from annotator.models import Assignment, Batch, Membership

_ORDER = ("batch_id", "position")
_BACKWARDS = ("-batch_id", "-position")
_SHOWN = (Batch.Status.OPEN, Batch.Status.CLOSED)


@dataclass(frozen=True)
class QueueProgress:
    """How many of a person's `total` assignments are finished: `done` counts submitted and skipped ones.

    `left` are those still to do. What was unfinished when its batch was closed is neither.
    """

    done: int
    total: int
    left: int


@dataclass(frozen=True)
class Place:
    """Where an assignment stands in its person's order."""

    pk: int
    batch_id: int
    position: int


def next_assignment(membership: Membership) -> Assignment | None:
    """Return the first open assignment, begun or not; None when everything is done."""
    # Found by the index alone before anything is joined to it.
    first = _open(membership.pk).order_by(*_ORDER).values("pk")[:1]
    return queue_page(membership).filter(pk=Subquery(first)).first()


def first_open(annotator_id: int, most: int = 1) -> list[Place]:
    """Return the places of a person's first open assignments, at most `most`, in one query.

    Read off an index: the cost does not grow with the queue.
    """
    return [Place(*row) for row in _first_open(most).rows(annotator_id)]


@cache
def _first_open(most: int) -> Prepared:
    return Prepared(
        lambda annotator: _open(annotator).order_by(*_ORDER).values_list("pk", *_ORDER)[:most],
    )


def queue_progress(membership: Membership) -> QueueProgress:
    """Count a person's assignments, in one query."""
    unfinished = Q(status=Assignment.Status.OPEN)
    counts = queue_of(membership.pk).aggregate(
        done=Count("pk", filter=~unfinished),
        total=Count("pk"),
        left=Count("pk", filter=unfinished & Q(batch__status=Batch.Status.OPEN)),
    )
    return QueueProgress(**counts)


def queue_of(annotator_id: int) -> QuerySet[Assignment]:
    """Return everything that has a place in a person's order."""
    placed = Assignment.objects.filter(annotator=annotator_id, position__isnull=False)
    return placed.filter(batch__status__in=_SHOWN)


def neighbour_keys(assignment: Assignment) -> tuple[int | None, int | None]:
    """Return the primary keys of the assignments before and after this one, in one query."""
    # A withdrawn one has no place: it stands before its batch.
    place = (assignment.annotator_id, assignment.batch_id, assignment.position or 0)
    [(before, after)] = _NEIGHBOURS.rows(assignment.pk, *place)
    return before, after


def queue_page(membership: Membership) -> QuerySet[Assignment]:
    """All assignments in a person's queue with image, batch, project and annotation, in one query.

    An assignment nobody has begun has no `annotation`; what the annotation says is not fetched.
    """
    return (
        queue_of(membership.pk)
        .select_related("image", "batch__project", "annotator", "annotation")
        .defer("annotation__payload", "annotation__ratings", "annotation__source", "annotation__capture")
        .order_by(*_ORDER)
    )


def _open(annotator_id: int) -> QuerySet[Assignment]:
    to_do = Assignment.objects.filter(annotator=annotator_id, status=Assignment.Status.OPEN)
    return to_do.filter(batch__status=Batch.Status.OPEN)


def _beside(pk: int, annotator: int, batch: int, position: int) -> QuerySet[Assignment, Any]:
    """Return the primary keys before and after an assignment, as a query.

    Read off an index, first within the batch, then at the edge of the next one: the cost does not grow
    with the queue.
    """
    own = queue_of(annotator)
    before = Coalesce(
        _key(own.filter(batch=batch, position__lt=position).order_by("-position")),
        _key(own.filter(batch__lt=batch).order_by(*_BACKWARDS)),
    )
    after = Coalesce(
        _key(own.filter(batch=batch, position__gt=position).order_by("position")),
        _key(own.filter(batch__gt=batch).order_by(*_ORDER)),
    )
    return Assignment.objects.filter(pk=pk).order_by().values_list(before, after)


_NEIGHBOURS = Prepared(_beside)


def _key(assignments: QuerySet[Assignment]) -> Subquery:
    return Subquery(assignments.values("pk")[:1])

"""An annotator's queue, ordered by batch, then by position.

It excludes batches being prepared and withdrawn assignments. Images of closed batches can be read but are
never the next image.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from django.db.models import Count, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotator.database.prepared import Prepared
from annotator.models import Annotation, Assignment, Batch, Membership
from annotator.models.counting import is_labelled_here

_ORDER = ("batch_id", "position")
_BACKWARDS = ("-batch_id", "-position")
_SHOWN = (Batch.Status.OPEN, Batch.Status.CLOSED)


@dataclass(frozen=True)
class QueueProgress:
    """The progress on a member's `total` assignments: `done` counts submitted and skipped ones.

    `left` are still to do. Those unfinished when their batch was closed are neither. `imported` assignments,
    made elsewhere under this member's code, are not among them.
    """

    done: int
    total: int
    left: int
    imported: int = 0


@dataclass(frozen=True)
class QueueEntry:
    """The position of an assignment in its annotator's queue."""

    pk: int
    batch_id: int
    position: int


def next_assignment(membership: Membership, *, training: bool = True) -> Assignment | None:
    """Return the first open assignment, begun or not; None if there is none. `training` includes training."""
    # Find it by the index alone before joining other tables.
    asked = _open(membership.pk)
    if not training:
        asked = asked.exclude(purpose=Assignment.Purpose.TRAINING)
    first = asked.order_by(*_ORDER).values("pk")[:1]
    return queue_page(membership).filter(pk=Subquery(first)).first()


def first_open(annotator_id: int, most: int = 1) -> list[QueueEntry]:
    """Return the places of an annotator's first open assignments, at most `most`, in one query.

    Uses an index only: the cost does not grow with the queue.
    """
    return [QueueEntry(*row) for row in _first_open(most).rows(annotator_id)]


@cache
def _first_open(most: int) -> Prepared:
    return Prepared(
        lambda annotator: _open(annotator).order_by(*_ORDER).values_list("pk", *_ORDER)[:most],
    )


def queue_progress(membership: Membership) -> QueueProgress:
    """Count a member's assignments, in one query."""
    unfinished = Q(status=Assignment.Status.OPEN)
    counts = queue_of(membership.pk).aggregate(
        done=Count("pk", filter=~unfinished & is_labelled_here()),
        total=Count("pk", filter=is_labelled_here()),
        imported=Count("pk", filter=~is_labelled_here()),
        left=Count("pk", filter=unfinished & Q(batch__status=Batch.Status.OPEN)),
    )
    return QueueProgress(**counts)


def has_labelled(membership: Membership) -> bool:
    """Tell whether a member has begun to label here; training and imported annotations are not that."""
    own = Annotation.objects.filter(assignment__annotator=membership).exclude(
        assignment__purpose=Assignment.Purpose.TRAINING
    )
    return own.exclude(source__isnull=False, version=1).exists()


def queue_of(annotator_id: int) -> QuerySet[Assignment]:
    """Return all assignments in an annotator's queue."""
    placed = Assignment.objects.filter(annotator=annotator_id, position__isnull=False)
    return placed.filter(batch__status__in=_SHOWN)


def neighbour_keys(assignment: Assignment) -> tuple[int | None, int | None]:
    """Return the primary keys of the assignments before and after this one, in one query."""
    # A withdrawn assignment has no position; treat it as before its batch.
    place = (assignment.annotator_id, assignment.batch_id, assignment.position or 0)
    [(before, after)] = _NEIGHBOURS.rows(assignment.pk, *place)
    return before, after


def queue_page(membership: Membership) -> QuerySet[Assignment]:
    """Return all assignments in a queue with image, batch, project and annotation, in one query.

    An assignment that has not been begun has no `annotation`. Payloads are not fetched.
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

    Uses an index only, first within the batch, then at the edge of the next one: the cost does not grow with
    the queue.
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

"""What a person has to do, in their order: by batch, then by position.

A batch that is being prepared is not there yet, and a withdrawn assignment is not there any more. What a
closed batch holds can be read, but is nobody's next image.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

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
    rows = _open(annotator_id).order_by(*_ORDER).values_list("pk", *_ORDER)
    return [Place(*row) for row in rows[:most]]


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


def open_work_of(membership: Membership) -> QuerySet[Assignment]:
    """Return what a person still owes, begun or not: the open assignments of batches that are not closed.

    Whoever leaves with some of it leaves a hole, until a change of people gives it to others.
    """
    owed = membership.assignments.filter(status=Assignment.Status.OPEN)
    return owed.exclude(batch__status=Batch.Status.CLOSED)


def neighbours(assignment: Assignment) -> tuple[Assignment | None, Assignment | None]:
    """Return the assignments before and after this one in the same person's order, whatever their status."""
    own = Assignment.objects.filter(annotator=assignment.annotator_id).select_related("image", "batch")
    here = (assignment.batch_id, assignment.position or 0)
    found = list(own.filter(pk__in=_beside(assignment)))  # type: ignore[misc]
    before = next((each for each in found if (each.batch_id, each.position or 0) < here), None)
    after = next((each for each in found if (each.batch_id, each.position or 0) > here), None)
    return before, after


def neighbour_keys(assignment: Assignment) -> tuple[int | None, int | None]:
    """Return the primary keys of the assignments before and after this one, in one query."""
    keys: tuple[int | None, int | None] = Assignment.objects.values_list(*_beside(assignment)).get(
        pk=assignment.pk
    )
    return keys


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


def _beside(assignment: Assignment) -> tuple[Coalesce, Coalesce]:
    """Return the primary keys before and after an assignment, as expressions.

    Read off an index, first within the batch, then at the edge of the next one: the cost does not grow
    with the queue.
    """
    # A withdrawn one has no place: it stands before its batch.
    batch, position = assignment.batch_id, assignment.position or 0
    own = queue_of(assignment.annotator_id)
    before = Coalesce(
        _key(own.filter(batch=batch, position__lt=position).order_by("-position")),
        _key(own.filter(batch__lt=batch).order_by(*_BACKWARDS)),
    )
    after = Coalesce(
        _key(own.filter(batch=batch, position__gt=position).order_by("position")),
        _key(own.filter(batch__gt=batch).order_by(*_ORDER)),
    )
    return before, after


def _key(assignments: QuerySet[Assignment]) -> Subquery:
    return Subquery(assignments.values("pk")[:1])

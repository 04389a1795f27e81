"""What a person has to do, in their order: by batch, then by position."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet

from annotator.models import Assignment, Membership

_ORDER = ("batch_id", "position")


@dataclass(frozen=True)
class QueueProgress:
    """How many of a person's `total` assignments are closed: `done` counts submitted and skipped ones."""

    done: int
    total: int


def next_assignment(membership: Membership) -> Assignment | None:
    """Return the first open assignment, begun or not; None when everything is done."""
    return queue_page(membership).filter(status=Assignment.Status.OPEN).first()


def queue_progress(membership: Membership) -> QueueProgress:
    """Count a person's assignments, in one query."""
    counts = membership.assignments.aggregate(
        done=Count("pk", filter=~Q(status=Assignment.Status.OPEN)), total=Count("pk")
    )
    return QueueProgress(done=counts["done"], total=counts["total"])


def neighbours(assignment: Assignment) -> tuple[Assignment | None, Assignment | None]:
    """Return the assignments before and after this one in the same person's order, whatever their status."""
    batch, position = assignment.batch_id, assignment.position
    own = Assignment.objects.filter(annotator=assignment.annotator_id).select_related("image", "batch")
    before = own.filter(Q(batch__lt=batch) | Q(batch=batch, position__lt=position))
    after = own.filter(Q(batch__gt=batch) | Q(batch=batch, position__gt=position))
    return before.order_by(*_ORDER).last(), after.order_by(*_ORDER).first()


def queue_page(membership: Membership) -> QuerySet[Assignment]:
    """All assignments of a person with image, batch, project and annotation, in one query.

    An assignment nobody has begun has no `annotation`; what the annotation says is not fetched.
    """
    return (
        Assignment.objects.filter(annotator=membership)
        .select_related("image", "batch__project", "annotator", "annotation")
        .defer("annotation__payload", "annotation__ratings", "annotation__source", "annotation__capture")
        .order_by(*_ORDER)
    )

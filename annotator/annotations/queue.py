"""An annotator's queue, ordered by batch, then by position.

It excludes batches being prepared and withdrawn assignments. Images of closed batches can be read but are
never the next image.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Final

from django.db.models import QuerySet, Subquery

from annotator.database.prepared import PreparedObjects
from annotator.models import Annotation, Assignment, Batch, Membership
from annotator.models.counting import WorkCount, work_counts

_ORDER = ("batch_id", "position")
_RELATED = ("image", "batch__project", "annotation")
_SHOWN = (Batch.Status.OPEN, Batch.Status.CLOSED)


def next_assignment(membership: Membership, *, learning: bool = True) -> Assignment | None:
    """Return the first open assignment, begun or not; None if there is none.

    `learning` includes training and qualifications.
    """
    # Find it by the index alone before joining other tables.
    asked = _open(membership.pk)
    if not learning:
        asked = asked.filter(batch__qualification=None).exclude(purpose=Assignment.Purpose.TRAINING)
    first = asked.order_by(*_ORDER).values("pk")[:1]
    return queue_page(membership).filter(pk=Subquery(first)).first()


def first_open(annotator_id: int) -> list[Assignment]:
    """Return an annotator's first two open assignments with image, batch, project and annotation.

    One query, which finds them by an index only: the cost does not grow with the queue.
    """
    return _FIRST_OPEN.all(annotator_id)


def _first_two(annotator: int) -> QuerySet[Assignment]:
    first = Subquery(_open(annotator).order_by(*_ORDER).values("pk")[:2])
    return Assignment.objects.filter(pk__in=first).select_related(*_RELATED).order_by(*_ORDER)


_FIRST_OPEN: Final = PreparedObjects(_first_two)


def next_of_attempt(assignment: Assignment) -> Assignment | None:
    """Return the next open image of a qualification, which goes on whatever else is in the queue.

    None for the last one, and without a query for anything but a qualification.
    """
    if assignment.purpose != Assignment.Purpose.QUALIFICATION:
        return None
    same = _qualifying(assignment.annotator_id).filter(batch=assignment.batch_id)
    return same.exclude(pk=assignment.pk).first()


def queue_counts(membership: Membership) -> dict[Batch, WorkCount]:
    """Return the counts of a member's batches, the latest first; two queries.

    Training and qualifications are in the queue, so they count here.
    """
    counts: dict[Batch, WorkCount] = defaultdict(WorkCount)
    for _, batch, count in work_counts(queue_of(membership.pk)):
        counts[batch] += count
    return dict(sorted(counts.items(), key=lambda item: -item[0].pk))


def has_labelled(membership: Membership) -> bool:
    """Tell whether a member has begun to annotate here.

    Annotations of training, of a qualification or made elsewhere are not that.
    """
    own = Annotation.objects.filter(
        assignment__annotator=membership, assignment__batch__qualification=None
    ).exclude(assignment__purpose=Assignment.Purpose.TRAINING)
    return own.exclude(source__isnull=False, version=1).exists()


def queue_of(annotator_id: int) -> QuerySet[Assignment]:
    """Return all assignments in an annotator's queue."""
    placed = Assignment.objects.filter(annotator=annotator_id, position__isnull=False)
    return placed.filter(batch__status__in=_SHOWN)


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


def _qualifying(annotator_id: int) -> QuerySet[Assignment]:
    held = _open(annotator_id).filter(purpose=Assignment.Purpose.QUALIFICATION)
    return held.select_related(*_RELATED).order_by(*_ORDER)


def _open(annotator_id: int) -> QuerySet[Assignment]:
    to_do = Assignment.objects.filter(annotator=annotator_id, status=Assignment.Status.OPEN)
    return to_do.filter(batch__status=Batch.Status.OPEN)

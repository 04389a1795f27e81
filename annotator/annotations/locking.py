"""Whether an annotator can still edit an assignment, and if not, why it is locked."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Any, Final

from django.db import connection
from django.db.models import OuterRef, QuerySet, Subquery

from annotator.database.prepared import Prepared, PreparedObjects
from annotator.models import Annotation, Assignment, Attempt, Batch, Event, Membership

REOPENED_BY_LEAD: Final = "reopened_by_lead"
LEFT_AT_CLOSING: Final = "left_at_closing"
"""The verb that locks annotations reopened by a lead when their batch is closed again."""

_REOPENINGS: Final = ("reopened", REOPENED_BY_LEAD)
_DECIDING: Final = (REOPENED_BY_LEAD, LEFT_AT_CLOSING)
_FINISHED: Final = (Assignment.Status.DONE, Assignment.Status.SKIPPED)


class Bar(StrEnum):
    """Why an annotation is locked for its annotator."""

    DELETED = "deleted"
    CLOSED = "closed"
    WITHDRAWN = "withdrawn"
    ENDED = "ended"
    """The qualification that it belongs to has ended."""
    REVEALED = "revealed"
    """A norming session has revealed others' annotations of the image to the annotator."""


def read_and_hold(assignment: Assignment) -> tuple[Bar | None, Annotation | None]:
    """Return why an assignment is locked, if it is, and its annotation, if begun; both from the database.

    Inside a transaction this locks the batch's row in shared mode until the end: closing the batch or
    reassigning its images waits for changes under way, and vice versa. Changes do not wait for each other.
    It must come before any other lock of the transaction.

    On PostgreSQL the lock is FOR SHARE, which Django does not support. Closing, reassigning and deleting lock
    the row too, so what the second statement reads holds until the end. SQLite has a single writer.
    """
    if connection.vendor == "postgresql" and connection.in_atomic_block:
        _HOLDING.rows(assignment.pk)
    now = _STANDING.first(assignment.pk)
    if now is None:  # deleted with its image
        return Bar.DELETED, None
    annotation: Annotation | None = getattr(now, "annotation", None)
    return bar_shown(now, annotation), annotation


def bar_shown(assignment: Assignment, annotation: Annotation | None) -> Bar | None:
    """Return why an assignment, loaded with its project, is locked; takes no lock."""
    if assignment.batch.project.goes_at is not None:
        return Bar.DELETED
    if assignment.status == Assignment.Status.WITHDRAWN:
        return Bar.WITHDRAWN
    if ended_among([assignment]):
        return Bar.ENDED
    if assignment.batch.status != Batch.Status.OPEN:
        reopened = annotation is not None and annotation.status == Annotation.Status.REOPENED
        if not reopened or _last_decision(assignment.pk) != REOPENED_BY_LEAD:
            return Bar.CLOSED
    # Not looked up at every save: sessions leave out images that are open.
    return Bar.REVEALED if assignment.status in _FINISHED and was_revealed(assignment) else None


def was_revealed(assignment: Assignment) -> bool:
    """Tell whether its annotator knows from a norming session what others say about the image.

    One query; none for training, which influences nothing that counts, and for the session's own annotations,
    which revealing locks with their batch.
    """
    if assignment.purpose in (Assignment.Purpose.NORMING, Assignment.Purpose.TRAINING):
        return False
    given = Assignment.objects.filter(image=assignment.image_id, annotator=assignment.annotator_id)
    return given.filter(batch__norming__revealed_at__isnull=False).exists()


def ended_among(assignments: Iterable[Assignment]) -> set[int]:
    """Return which of these assignments belong to attempts at qualifications that have ended.

    One query; none without assignments of qualifications.
    """
    held = [
        assignment for assignment in assignments if assignment.purpose == Assignment.Purpose.QUALIFICATION
    ]
    if not held:
        return set()
    made = Attempt.objects.filter(
        qualification__batch__in={assignment.batch_id for assignment in held},
        annotator__in={assignment.annotator_id for assignment in held},
        ended_at__isnull=False,
    )
    ended = set(made.values_list("qualification__batch", "annotator", "number"))
    return {
        assignment.pk
        for assignment in held
        if (assignment.batch_id, assignment.annotator_id, assignment.pass_no + 1) in ended
    }


def request_of_lead(assignment: Assignment, annotation: Annotation | None) -> str | None:
    """Return the lead's reason for reopening an annotation that awaits correction, if any."""
    if annotation is None or annotation.status != Annotation.Status.REOPENED:
        return None
    reopenings = Event.objects.filter(assignment=assignment.pk, verb__in=_REOPENINGS)
    last = reopenings.order_by("-pk").values_list("verb", "data__reason").first()
    return str(last[1]) if last is not None and last[0] == REOPENED_BY_LEAD else None


def sent_back_among(keys: Iterable[int]) -> set[int]:
    """Return which of these assignments await a correction requested by a lead."""
    reopenings = Event.objects.filter(assignment=OuterRef("pk"), verb__in=_REOPENINGS).order_by("-pk")
    return set(
        Assignment.objects.filter(pk__in=list(keys), annotation__status=Annotation.Status.REOPENED)
        .alias(last=Subquery(reopenings.values("verb")[:1]))
        .filter(last=REOPENED_BY_LEAD)
        .values_list("pk", flat=True)
    )


def reopened_in_closed_batches(membership: Membership) -> QuerySet[Assignment]:
    """Return a member's assignments that a lead reopened in closed batches."""
    decisions = Event.objects.filter(assignment=OuterRef("pk"), verb__in=_DECIDING).order_by("-pk")
    return (
        Assignment.objects.filter(annotator=membership, batch__status=Batch.Status.CLOSED)
        .filter(annotation__status=Annotation.Status.REOPENED)
        .alias(decision=Subquery(decisions.values("verb")[:1]))
        .filter(decision=REOPENED_BY_LEAD)
        .order_by("pk")
    )


def _last_decision(assignment_id: int) -> str | None:
    decisions = Event.objects.filter(assignment=assignment_id, verb__in=_DECIDING).order_by("-pk")
    return decisions.values_list("verb", flat=True).first()


def _standing(pk: int) -> QuerySet[Assignment]:
    related = ("batch__project", "annotation")
    needed = ("batch__status", "batch__project__goes_at", "annotation")
    own = ("status", "purpose", "pass_no", "annotator")
    return Assignment.objects.filter(pk=pk).order_by().select_related(*related).only(*own, *needed)


def _batch_of(pk: int) -> QuerySet[Assignment, Any]:
    return Assignment.objects.filter(pk=pk).order_by().values_list("batch__id", "batch__status")


_STANDING: Final = PreparedObjects(_standing)
_HOLDING: Final = Prepared(_batch_of, f"FOR SHARE OF {Batch._meta.db_table}")

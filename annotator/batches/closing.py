"""Close and reopen a batch."""

from __future__ import annotations

from typing import Any, Final

from annotator.annotations.locking import LEFT_AT_CLOSING
from annotator.database.transactions import write_transaction
from annotator.inputs.plain_text import checked_reason
from annotator.inputs.refusal import Refusal
from annotator.models import Annotation, Assignment, Batch, Event, NormingSession, User

CLOSED: Final = "batch_closed"
REOPENED: Final = "batch_reopened"


class BatchOfNorming(Refusal, ValueError):
    """The batch belongs to a norming session, which alone closes it."""


def close_batch(*, batch: Batch, reason: str, actor: User | None) -> Batch:
    """Lock all annotations of a batch and return it; drafts are kept. Idempotent.

    Annotations that a lead reopened and that were not resubmitted are locked as well.
    Raises InvalidReason, BatchOfNorming.
    """
    return _changed(batch, Batch.Status.CLOSED, reason, actor)


def reopen_batch(*, batch: Batch, reason: str, actor: User | None) -> Batch:
    """Reopen a closed batch and return it. Idempotent. Raises InvalidReason, BatchOfNorming."""
    return _changed(batch, Batch.Status.OPEN, reason, actor)


def close_for_norming(batch: Batch, actor: User | None) -> None:
    """Close the batch of a norming session, inside the transaction that reveals or ends the session."""
    _move(batch, Batch.Status.CLOSED, {}, actor)


def _changed(batch: Batch, status: Batch.Status, reason: str, actor: User | None) -> Batch:
    why = checked_reason(reason)
    # The session decides: its batch is open exactly until the annotations are revealed.
    if NormingSession.objects.filter(batch=batch).exists():
        raise BatchOfNorming(
            "This batch belongs to a norming session, which closes it when the annotations are revealed. "
            "Open the session to reveal or end it; for more annotations, start a second round.",
            "norming",
        )
    with write_transaction():
        _move(batch, status, {"reason": why}, actor)
    batch.refresh_from_db()
    return batch


def _move(batch: Batch, status: Batch.Status, data: dict[str, Any], actor: User | None) -> None:
    """Change the status, with an Event; only one of two concurrent calls does."""
    if not Batch.objects.filter(pk=batch.pk).exclude(status=status).update(status=status):
        return
    closes = status == Batch.Status.CLOSED
    if closes:
        _close_what_was_reopened(batch, actor)
    facts = {"batch": batch.pk, "name": batch.name, **data}
    verb = CLOSED if closes else REOPENED
    Event.objects.create(project_id=batch.project_id, actor=actor, verb=verb, data=facts)


def _close_what_was_reopened(batch: Batch, actor: User | None) -> None:
    reopened = Assignment.objects.filter(batch=batch, annotation__status=Annotation.Status.REOPENED)
    Event.objects.bulk_create(
        [
            Event(project_id=batch.project_id, assignment_id=pk, actor=actor, verb=LEFT_AT_CLOSING)
            for pk in reopened.order_by("pk").values_list("pk", flat=True)
        ]
    )

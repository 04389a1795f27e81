"""Reopen submitted annotations: by the annotator, or by a lead who returns one for correction."""

from __future__ import annotations

from dataclasses import replace
from typing import Final
from uuid import UUID

from annotator.annotations.locking import REOPENED_BY_LEAD, was_revealed
from annotator.annotations.versioned_changes import AnnotationChange, carry_out
from annotator.inputs.plain_text import LONGEST_REASON, TURNED, turns_text_round
from annotator.models import Annotation, Assignment, Batch, User
from scoring.payloads import Refusals, read_text
from scoring.protocol import InvalidPayload

_REOPENING: Final = (
    frozenset({Annotation.Status.SUBMITTED}),
    Assignment.Status.OPEN,
    {"status": Annotation.Status.REOPENED, "ratings": None, "submitted_at": None},
)
"""From which status, what the assignment becomes, and the new values."""


def reopen_annotation(
    *, assignment: Assignment, actor: User, replaces: int, request_key: UUID, reason: object = ""
) -> Annotation:
    """Reopen a submitted annotation for editing; the assignment is open again.

    The ratings are removed, because they belong to a submitted payload. The Event keeps them and the
    `reason`. Raises InvalidPayload for the reason, StaleVersion, NotSubmitted, KeyReused, Barred.
    """
    why = read_reason(reason, required=False)
    remarks = {"reason": why} if why else {}
    request = (assignment, actor, replaces, request_key)
    return carry_out(AnnotationChange("reopened", *request, *_REOPENING, remarks))


def reopen_for_annotator(
    *, annotation: Annotation, actor: User, reason: object, request_key: UUID
) -> Annotation:
    """Return a submitted annotation to its annotator for correction, as a lead; also in a closed batch.

    In a closed batch, this annotation is editable until it is submitted, or until the batch is reopened and
    closed again. Repeating the request changes nothing.
    Raises InvalidPayload for a missing or too long reason, and for an annotation of an image that a norming
    session has revealed to its annotator; StaleVersion, NotSubmitted, KeyReused.
    """
    why = read_reason(reason, required=True)
    request = (annotation.assignment, actor, annotation.version, request_key)
    change = AnnotationChange(REOPENED_BY_LEAD, *request, *_REOPENING, {"reason": why}, by_lead=True)
    return carry_out(replace(change, guard=lambda: _refuse_revealed(annotation.assignment)))


def _refuse_revealed(assignment: Assignment) -> None:
    """Refuse to reopen what was made blind once its author may have seen what others say."""
    if assignment.purpose != Assignment.Purpose.NORMING:
        if was_revealed(assignment):
            told = (
                "A norming session has revealed this image to the annotator, so this annotation stays as it "
                "is. Adjudicate the image instead."
            )
            raise InvalidPayload({"reason": [told]})
        return
    # Read after the batch is locked: revealing closes it.
    if Batch.objects.filter(pk=assignment.batch_id).exclude(status=Batch.Status.OPEN).exists():
        told = "This norming session is revealed, so its annotations stay as they are. Start a second round."
        raise InvalidPayload({"reason": [told]})


def read_reason(given: object, *, required: bool) -> str:
    """Return a reason without surrounding space. Raises InvalidPayload if it is missing or too long."""
    refusals = Refusals()
    reason = read_text(given, "reason", refusals).strip()
    if required and not reason:
        refusals.add("reason", "Enter a reason. It is saved with the annotation.")
    if len(reason) > LONGEST_REASON:
        refusals.add("reason", f"The reason has {len(reason)} characters; the limit is {LONGEST_REASON}.")
    if turns_text_round(reason):
        refusals.add("reason", TURNED)
    refusals.raise_if_any()
    return reason

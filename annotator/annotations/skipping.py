"""Skip an assignment, and resume it. A draft is unchanged."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from annotator.annotations.saving import EDITABLE
from annotator.annotations.versioned_changes import (
    AlreadySubmitted,
    Conflict,
    KeyReused,
    Overtaken,
    StaleVersion,
    barred,
    event_of,
    nothing_yet,
    record,
    retry_once,
    stored_row,
    tell_norming,
)
from annotator.inputs.plain_text import TURNED, turns_text_round
from annotator.models import Annotation, Assignment, Event, User
from scoring.payloads import FLAG_REASONS, Refusals, read_choice, read_text

_SKIPPABLE: Final = (Assignment.Status.OPEN, Assignment.Status.SKIPPED)


def skip_assignment(
    *,
    assignment: Assignment,
    actor: User,
    reason: object,
    note: object = "",
    replaces: int,
    request_key: UUID,
) -> Assignment:
    """Skip an assignment and return it; skipping again stores a new reason.

    `replaces` is the version of the draft the client saw, 0 for none.
    Raises InvalidPayload for the reason or the note, StaleVersion, AlreadySubmitted, KeyReused,
    BatchClosed, Withdrawn, Deleted, Revealed.
    """
    said = _flag(reason, note)

    def attempt() -> Assignment | Conflict:
        refusal, row = barred(assignment)
        earlier = event_of(assignment, request_key)
        if earlier is not None:
            same = earlier.verb == "skipped" and said.items() <= earlier.data.items()
            return _left(assignment, Assignment.Status.SKIPPED) if same else _key_reused(assignment)
        if refusal is not None:
            return refusal(row or nothing_yet(assignment))
        if row is not None and row.status not in EDITABLE:
            return AlreadySubmitted(row)
        if (row.version if row else 0) != replaces:
            return StaleVersion(row or nothing_yet(assignment))
        _hold(row)
        _move(assignment, _SKIPPABLE, Assignment.Status.SKIPPED)
        record(assignment, actor, "skipped", {**said, "version": replaces}, request_key)
        tell_norming(assignment)
        return _left(assignment, Assignment.Status.SKIPPED)

    return retry_once(attempt)


def resume_assignment(*, assignment: Assignment, actor: User, request_key: UUID) -> Assignment:
    """Reopen a skipped assignment and return it; an open one stays open.

    Raises AlreadySubmitted, KeyReused, BatchClosed, Withdrawn, Deleted, Revealed.
    """

    def attempt() -> Assignment | Conflict:
        refusal, row = barred(assignment)
        earlier = event_of(assignment, request_key)
        if earlier is not None:
            again = earlier.verb == "resumed"
            return _left(assignment, Assignment.Status.OPEN) if again else _key_reused(assignment)
        if refusal is not None:
            return refusal(row or nothing_yet(assignment))
        if row is not None and row.status not in EDITABLE:
            return AlreadySubmitted(row)
        if Assignment.objects.filter(pk=assignment.pk, status=Assignment.Status.OPEN).exists():
            return _left(assignment, Assignment.Status.OPEN)
        _move(assignment, (Assignment.Status.SKIPPED,), Assignment.Status.OPEN)
        record(assignment, actor, "resumed", {}, request_key)
        return _left(assignment, Assignment.Status.OPEN)

    return retry_once(attempt)


def was_skipped(assignment: Assignment, request_key: UUID) -> bool:
    """Tell whether to resume the assignment: it is skipped, or this request has already resumed it."""
    if assignment.status == Assignment.Status.SKIPPED:
        return True
    return Event.objects.filter(assignment=assignment, request_key=request_key, verb="resumed").exists()


def _flag(reason: object, note: object) -> dict[str, Any]:
    refusals = Refusals()
    said = {
        "reason": read_choice(reason, FLAG_REASONS, "reason", "reason", refusals),
        "note": read_text(note, "note", refusals),
    }
    if turns_text_round(said["note"] or ""):
        refusals.add("note", TURNED)
    refusals.raise_if_any()
    return said


def _hold(row: Annotation | None) -> None:
    """Lock the draft, checking that its version is unchanged."""
    if row is None:
        return
    same = Annotation.objects.filter(pk=row.pk, version=row.version, status__in=EDITABLE)
    if same.update(version=row.version) != 1:
        raise Overtaken


def _move(assignment: Assignment, allowed: tuple[Assignment.Status, ...], to: Assignment.Status) -> None:
    # After the annotation's row, in the same lock order as every other action.
    if Assignment.objects.filter(pk=assignment.pk, status__in=allowed).update(status=to) != 1:
        raise Overtaken


def _left(assignment: Assignment, status: Assignment.Status) -> Assignment:
    assignment.status = status
    return assignment


def _key_reused(assignment: Assignment) -> Conflict:
    return KeyReused(stored_row(assignment) or nothing_yet(assignment))

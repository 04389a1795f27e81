"""Skip an assignment, and resume it. A draft is unchanged."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from annotator.annotations.locking import read_and_hold
from annotator.annotations.reopening import reopen_annotation
from annotator.annotations.saving import EDITABLE
from annotator.annotations.versioned_changes import (
    AlreadySubmitted,
    Barred,
    Conflict,
    KeyReused,
    Overtaken,
    StaleVersion,
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
    Raises InvalidPayload for the reason or the note, StaleVersion, AlreadySubmitted, KeyReused, Barred.
    """
    said = _flag(reason, note)

    def attempt() -> Assignment | Conflict:
        outcome, row = _begun(assignment, request_key, "skipped", said, Assignment.Status.SKIPPED)
        if outcome is not None:
            return outcome
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

    Raises AlreadySubmitted, KeyReused, Barred.
    """

    def attempt() -> Assignment | Conflict:
        outcome, _ = _begun(assignment, request_key, "resumed", {}, Assignment.Status.OPEN)
        if outcome is not None:
            return outcome
        if Assignment.objects.filter(pk=assignment.pk, status=Assignment.Status.OPEN).exists():
            return _left(assignment, Assignment.Status.OPEN)
        _move(assignment, (Assignment.Status.SKIPPED,), Assignment.Status.OPEN)
        record(assignment, actor, "resumed", {}, request_key)
        return _left(assignment, Assignment.Status.OPEN)

    return retry_once(attempt)


def resume_or_reopen(
    *, assignment: Assignment, actor: User, replaces: int, request_key: UUID, reason: object = ""
) -> None:
    """Resume an assignment that is skipped, or that this request has resumed; else reopen its annotation.

    Raises what the two raise.
    """
    again = Event.objects.filter(assignment=assignment, request_key=request_key, verb="resumed")
    request: dict[str, Any] = {"assignment": assignment, "actor": actor, "request_key": request_key}
    if assignment.status == Assignment.Status.SKIPPED or again.exists():
        resume_assignment(**request)
    else:
        reopen_annotation(**request, replaces=replaces, reason=reason)


def _begun(
    assignment: Assignment, request_key: UUID, verb: str, said: dict[str, Any], leaves: Assignment.Status
) -> tuple[Assignment | Conflict | None, Annotation | None]:
    """Return what an earlier request of this key left, or why there is none now; and the draft, if begun."""
    bar, row = read_and_hold(assignment)
    earlier = event_of(assignment, request_key)
    if earlier is not None:
        if earlier.verb == verb and said.items() <= earlier.data.items():
            return _left(assignment, leaves), row
        return KeyReused(stored_row(assignment) or nothing_yet(assignment)), row
    if bar is not None:
        return Barred(row or nothing_yet(assignment), bar), row
    return AlreadySubmitted(row) if row is not None and row.status not in EDITABLE else None, row


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

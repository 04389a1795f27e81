"""How a change of an annotation is carried out: once, against a named version, with an Event."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone

from annotator.models import Annotation, Assignment, Event, User
from annotator.signals import annotation_submitted
from annotator.transactions import write_transaction
from scoring.service import get_protocol


class Conflict(Exception):
    """A change that was not made; `current` is the row as it is stored.

    Where nothing is stored yet, `current` is an unsaved row of version 0 with an untouched payload.
    """

    def __init__(self, current: Annotation) -> None:
        super().__init__(f"{self.__doc__} (stored: version {current.version}, {current.status})")
        self.current = current


class StaleVersion(Conflict):
    """The version to be replaced is not the current one."""


class AlreadySubmitted(Conflict):
    """The annotation is submitted; it must be reopened before it can change."""


class NotSubmitted(Conflict):
    """Only a submitted annotation can be reopened."""


class KeyReused(Conflict):
    """The request key belongs to an earlier, different act on this assignment."""


class _Overtaken(Exception):
    """Another request changed the row between our reading and our writing."""


@dataclass(frozen=True)
class Change:
    """One requested change: which version becomes what, by whom, and where it leaves the assignment.

    `fields` are the new values of the row apart from version and time of saving; a first draft takes the
    model's defaults for the rest. `announced` sends `annotation_submitted`.
    """

    verb: str
    assignment: Assignment
    actor: User
    replaces: int
    request_key: UUID
    allowed_from: frozenset[Annotation.Status]
    leaves: Assignment.Status
    fields: Mapping[str, Any]
    announced: bool = False


def carry_out(change: Change) -> Annotation:
    """Make the change, unless its key shows that it is made, and return the row as it is stored.

    Raises a Conflict after the transaction, so that the Event keeping a refused answer stays.
    """
    with write_transaction():
        try:
            conflict = _attempt(change)
        except (IntegrityError, _Overtaken):
            # Somebody else committed first, perhaps this very request sent twice. What they stored can be
            # read now, so a second look either finds the key or a version that no longer fits.
            conflict = _attempt(change)
        if conflict is None:
            return Annotation.objects.select_related("assignment").get(assignment=change.assignment)
    raise conflict


def _attempt(change: Change) -> Conflict | None:
    """Make the change in a savepoint; returns why not, or None when it is made (now or earlier)."""
    # The row before the event: a row that somebody has already replaced is read together with their event.
    row = Annotation.objects.filter(assignment=change.assignment).first()
    earlier = Event.objects.filter(assignment=change.assignment, request_key=change.request_key).first()
    if earlier is not None:
        return _repeated(change, earlier, row)
    conflict = _objection(change, row)
    with transaction.atomic():
        if conflict is None:
            _write(change, row)
        else:
            _keep_refused(change, conflict)
    return conflict


def _repeated(change: Change, earlier: Event, row: Annotation | None) -> Conflict | None:
    current = row or _nothing_yet(change)
    if earlier.verb == change.verb:
        return None
    if earlier.verb == "refused" and earlier.data["asked"] == change.verb:
        return _objection(change, row) or StaleVersion(current)
    return KeyReused(current)


def _objection(change: Change, row: Annotation | None) -> Conflict | None:
    current = row or _nothing_yet(change)
    forbidden = current.status not in change.allowed_from
    if forbidden and current.status == Annotation.Status.SUBMITTED:
        return AlreadySubmitted(current)
    if current.version != change.replaces:
        return StaleVersion(current)
    return NotSubmitted(current) if forbidden else None


def _nothing_yet(change: Change) -> Annotation:
    payload = get_protocol(change.assignment.batch.protocol).empty()
    return Annotation(assignment=change.assignment, payload=payload, version=0)


def _write(change: Change, row: Annotation | None) -> None:
    values = {**change.fields, "version": change.replaces + 1, "saved_at": timezone.now()}
    if row is None:
        row_id = Annotation.objects.create(assignment=change.assignment, **values).pk
    else:
        row_id = row.pk
        replaceable = Annotation.objects.filter(
            pk=row_id, version=change.replaces, status__in=change.allowed_from
        )
        if replaceable.update(**values) != 1:
            raise _Overtaken
    # The assignment follows after the annotation's row is locked, so the two never disagree.
    Assignment.objects.filter(pk=change.assignment.pk).exclude(status=change.leaves).update(
        status=change.leaves
    )
    replaced = None if row is None else _as_it_was(row)
    _record(change, change.verb, {"version": change.replaces + 1, "replaced": replaced})
    if change.announced:
        project_id = change.assignment.batch.project_id
        annotation_submitted.send(sender=Annotation, project_id=project_id, annotation_ids=[row_id])


def _keep_refused(change: Change, conflict: Conflict) -> None:
    """Keep an answer that was refused, unless it says what is stored anyway: the writer may want it back."""
    payload = change.fields.get("payload")
    if payload is not None and payload != conflict.current.payload:
        data = {
            "asked": change.verb,
            "replaces": change.replaces,
            "version": conflict.current.version,
            "payload": payload,
        }
        _record(change, "refused", data)


def _as_it_was(row: Annotation) -> dict[str, Any]:
    return {
        "version": row.version,
        "status": row.status,
        "payload": row.payload,
        "warnings": row.warnings,
        "ratings": row.ratings,
        "saved_at": row.saved_at.isoformat(),
        "submitted_at": row.submitted_at.isoformat() if row.submitted_at else None,
    }


def _record(change: Change, verb: str, data: dict[str, Any]) -> None:
    Event.objects.create(
        project_id=change.assignment.batch.project_id,
        assignment=change.assignment,
        actor=change.actor,
        verb=verb,
        data=data,
        request_key=change.request_key,
    )

"""Carry out a change of an annotation once, against a named version, with an Event."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import count
from typing import Any, Final, TypeVar
from uuid import UUID

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, IntegrityError
from django.db.models import Count, Sum, TextField
from django.db.models.functions import Cast, Length
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from annotator.annotations.flags import follow_flag
from annotator.annotations.given import made_from, with_given
from annotator.annotations.locking import Bar, read_and_hold
from annotator.annotations.summaries import locks, summarise
from annotator.database.changes import insert, make, update
from annotator.database.prepared import PreparedObjects
from annotator.database.transactions import write_transaction
from annotator.models import Annotation, Assignment, Batch, Event, User
from annotator.models.counting import PLANNED
from annotator.signals import norming_judged
from scoring.service import get_protocol

Outcome = TypeVar("Outcome")

REFUSED: Final = "refused"
"""Verb of Events that keep the contents of a refused save."""
_DAY: Final = timedelta(days=1)


class Conflict(Exception):
    """A change that was not made; `current` is the stored row.

    If nothing is stored yet, `current` is an unsaved row of version 0 with an empty payload. Scripts know a
    conflict by its `code`. `kept` is False if the log does not keep the refused contents: the sender has
    reached a limit.
    """

    code: str
    kept: bool = True

    def __init__(self, current: Annotation) -> None:
        super().__init__(f"{self.code}: {self.__doc__} (stored: version {current.version}, {current.status})")
        self.current = current

    def as_json(self) -> dict[str, Any]:
        """Return the stored row for the sender of the change."""
        row = self.current
        saved_at = row.saved_at.isoformat() if row.saved_at else None
        stored = {"version": row.version, "status": row.status, "payload": row.payload, "saved_at": saved_at}
        return stored if self.kept else {**stored, "kept": False}


class StaleVersion(Conflict):
    """The version to replace is not the current one."""

    code = "stale"


class AlreadySubmitted(Conflict):
    """The annotation is submitted; it must be reopened before it can change."""

    code = "submitted"


class NotSubmitted(Conflict):
    """Only a submitted annotation, or a skipped image, can be reopened."""

    code = "not_submitted"


class KeyReused(Conflict):
    """The idempotency key belongs to an earlier, different action on this assignment."""

    code = "key_reused"


class Barred(Conflict):
    """The annotation is locked for its annotator; its `code` says why."""

    def __init__(self, current: Annotation, bar: Bar) -> None:
        self.code = bar
        super().__init__(current)


class Overtaken(Exception):
    """A concurrent request changed the row between our read and our write."""


@dataclass(frozen=True)
class AnnotationChange:
    """One requested change: the version it replaces, its new values, and the assignment's next status.

    `fields` are the new values of the row except version and save time; a first draft takes the model's
    defaults for the rest. `remarks` go into the Event. Only a deletion and the end of a qualification
    lock out changes by a lead (`by_lead`). `guard` raises inside the transaction, after the batch is locked,
    to refuse a change that was not made before.
    """

    verb: str
    assignment: Assignment
    actor: User
    replaces: int
    request_key: UUID
    allowed_from: frozenset[Annotation.Status]
    leaves: Assignment.Status
    fields: Mapping[str, Any]
    remarks: Mapping[str, Any] = field(default_factory=dict)
    by_lead: bool = False
    guard: Callable[[], None] | None = None


def carry_out(change: AnnotationChange) -> Annotation:
    """Make the change unless its key shows that it was made, and return the row as the change left it.

    A repeated request gets the first reply even after later changes: a newer version would let the client
    replace content it has not seen.
    Raises a Conflict after the transaction, so that the Event with the refused payload is kept.
    """
    attempts = count()
    left = retry_once(lambda: _attempt(change, again=next(attempts) > 0))
    left.assignment = change.assignment
    change.assignment.status = change.leaves
    return left


def retry_once(attempt: Callable[[], Outcome | Exception]) -> Outcome:
    """Run an attempt in a transaction, in another if overtaken; raises the conflict it returns."""
    try:
        with write_transaction():
            outcome = attempt()
    except (IntegrityError, Overtaken):
        # A concurrent request, perhaps a repetition of this one, committed first. The retry finds its key
        # or a newer version.
        with write_transaction():
            outcome = attempt()
    if isinstance(outcome, Exception):
        raise outcome
    return outcome


def stored_row(assignment: Assignment) -> Annotation | None:
    """Read an assignment's current annotation; None if not begun."""
    return _STORED.first(assignment.pk)


_STORED: Final = PreparedObjects(lambda pk: Annotation.objects.filter(assignment=pk).order_by())


def nothing_yet(assignment: Assignment) -> Annotation:
    """Return an unsaved row of version 0 for an annotation that has not been begun."""
    payload = with_given(assignment, get_protocol(assignment.batch.protocol).empty())
    return Annotation(assignment=assignment, payload=payload, version=0)


def event_of(assignment: Assignment, request_key: UUID) -> Event | None:
    """Return the Event of an earlier request with this idempotency key, if any."""
    return _EARLIER.first(assignment.pk, request_key)


_EARLIER: Final = PreparedObjects(
    lambda pk, key: Event.objects.filter(assignment=pk, request_key=key).order_by("pk")
)


def _attempt(change: AnnotationChange, *, again: bool) -> Annotation | Conflict:
    """Make the change; returns the row as it left it (now or earlier), or the Conflict.

    A repeated request meets a newer version, or the unique key of its Event; then `again` is set.
    """
    # The row is read before the event, so that a concurrently replaced row is never read without its event.
    bar, row = read_and_hold(change.assignment)
    if change.by_lead and bar not in {Bar.DELETED, Bar.ENDED}:
        bar = None
    conflict = _objection(change, row, bar)
    if again or conflict or change.guard:
        earlier = event_of(change.assignment, change.request_key)
        if earlier is not None:
            return _repeated(change, earlier, bar)
    if change.guard is not None:
        change.guard()
    if conflict is None:
        return _write(change, row)
    _keep_refused(change, conflict)
    return conflict


def _repeated(change: AnnotationChange, earlier: Event, bar: Bar | None) -> Annotation | Conflict:
    # Read again after the event, whose change is visible by now.
    row = stored_row(change.assignment)
    current = row or nothing_yet(change.assignment)
    if earlier.verb == change.verb and row is not None:
        left = _as_left(row, earlier.data["version"])
        return left if change.fields.get("payload", left.payload) == left.payload else KeyReused(current)
    if earlier.verb == REFUSED and earlier.data["asked"] == change.verb:
        return _objection(change, row, bar) or StaleVersion(current)
    return KeyReused(current)


def _as_left(row: Annotation, version: int) -> Annotation:
    """Return the row at a version: the current row, or the one kept in the Event of the next change."""
    if row.version == version:
        return row
    kept = Event.objects.filter(assignment=row.assignment_id, data__replaced__version=version)
    was = kept.values_list("data__replaced", flat=True).get()
    left = copy(row)
    for name in ("version", "status", "payload", "warnings", "ratings"):
        setattr(left, name, was[name])
    left.guideline = was.get("guideline")
    left.saved_at, left.submitted_at = _moment(was["saved_at"]), _moment(was["submitted_at"])
    return left


def _moment(text: str | None) -> Any:
    return parse_datetime(text) if text else None


def _objection(change: AnnotationChange, row: Annotation | None, bar: Bar | None) -> Conflict | None:
    status, version = (row.status, row.version) if row else (Annotation.Status.DRAFT, 0)
    forbidden = status not in change.allowed_from
    if bar is None and not forbidden and version == change.replaces:
        return None
    current = row or nothing_yet(change.assignment)
    if bar is not None:
        return Barred(current, bar)
    if forbidden and status == Annotation.Status.SUBMITTED:
        return AlreadySubmitted(current)
    return StaleVersion(current) if version != change.replaces else NotSubmitted(current)


def _write(change: AnnotationChange, row: Annotation | None) -> Annotation:
    values = {**change.fields, "version": change.replaces + 1, "saved_at": timezone.now()}
    replaced = None if row is None else _as_it_was(row)
    before = None if row is None else row.payload
    if row is None:
        row = Annotation(assignment=change.assignment, **values)
        written = insert(row)
    else:
        allowed = sorted(change.allowed_from)
        same = f"id = %s AND version = %s AND status IN ({', '.join(['%s'] * len(allowed))})"
        written = update(Annotation, values, same, row.pk, change.replaces, *allowed)
        for name, value in values.items():
            setattr(row, name, value)
    # Update the assignment while the annotation's row is locked, so that the two agree. The database refuses
    # this for a withdrawn assignment, and the retry reports it.
    follows = update(
        Assignment, {"status": change.leaves}, "id = %s AND status <> %s", change.assignment.pk, change.leaves
    )
    data = {"version": change.replaces + 1, "replaced": replaced, **change.remarks}
    event = new_event(change.assignment, change.actor, change.verb, data, change.request_key)
    batch, image_id = change.assignment.batch, change.assignment.image_id
    # Only work enters a summary. For anchors and repeats, writing it changes nothing; a clock could tell them
    # apart if it were left out.
    rated = "ratings" in change.fields and change.assignment.purpose in PLANNED
    summary = locks(batch.project_id, image_id, batch.protocol) if rated else []
    row.pk = make(written, follows, insert(event), *summary)
    if row.pk is None:
        raise Overtaken
    row._state.adding, row._state.db = False, DEFAULT_DB_ALIAS
    follow_flag(change.assignment, before, row.payload)
    if rated:
        more = change.fields["ratings"] is not None
        summarise(batch.project_id, [image_id], batch.protocol, only_more=more, locked=True)
        # What was made from an annotation was made once its batch was closed.
        for protocol in made_from(batch.protocol) if batch.status != Batch.Status.OPEN else ():
            summarise(batch.project_id, [image_id], protocol)
    if change.leaves == Assignment.Status.DONE:
        tell_norming(change.assignment)
    return row


def tell_norming(assignment: Assignment) -> None:
    """Notify a norming session that one of its images was judged; other assignments notify nobody."""
    if assignment.purpose == Assignment.Purpose.NORMING:
        norming_judged.send(sender=Assignment, batch_id=assignment.batch_id)


def _keep_refused(change: AnnotationChange, conflict: Conflict) -> None:
    """Keep a refused payload in an Event, unless it equals the stored one or the sender has too many."""
    payload = change.fields.get("payload")
    if payload is not None and payload != conflict.current.payload:
        data = {
            "asked": change.verb,
            "replaces": change.replaces,
            "version": conflict.current.version,
            "payload": payload,
        }
        project_id = change.assignment.batch.project_id
        conflict.kept = _may_keep_refused(project_id, change.actor, len(json.dumps(data)))
        if conflict.kept:
            record(change.assignment, change.actor, REFUSED, data, change.request_key)


def _may_keep_refused(project_id: int, actor: User, size: int) -> bool:
    """Return whether the log may keep `size` more bytes of refused contents of an account today.

    Inside the transaction that stores them, this locks the account's row: concurrent ones follow one another.
    """
    User.objects.select_for_update(no_key=True).only("pk").get(pk=actor.pk)
    today = Event.objects.filter(
        project=project_id, verb=REFUSED, actor=actor, created_at__gt=timezone.now() - _DAY
    ).order_by()
    kept = today.aggregate(number=Count("pk"), bytes=Sum(Length(Cast("data", TextField())), default=0))
    within: bool = (
        kept["number"] < settings.REFUSED_KEPT and kept["bytes"] + size <= settings.REFUSED_KEPT_BYTES
    )
    return within


def _as_it_was(row: Annotation) -> dict[str, Any]:
    return {
        "version": row.version,
        "status": row.status,
        "payload": row.payload,
        "warnings": row.warnings,
        "ratings": row.ratings,
        "saved_at": row.saved_at.isoformat(),
        "submitted_at": row.submitted_at.isoformat() if row.submitted_at else None,
        **({"capture": row.capture} if row.capture else {}),
        **({"guideline": row.guideline} if row.guideline else {}),
    }


def record(
    assignment: Assignment, actor: User, verb: str, data: Mapping[str, Any], request_key: UUID
) -> None:
    """Create the Event of an action on an assignment."""
    make(insert(new_event(assignment, actor, verb, data, request_key)))


def new_event(
    assignment: Assignment, actor: User, verb: str, data: Mapping[str, Any], request_key: UUID
) -> Event:
    """Return the unsaved Event of an action on an assignment."""
    return Event(
        project_id=assignment.batch.project_id,
        assignment=assignment,
        actor=actor,
        verb=verb,
        data=dict(data),
        request_key=request_key,
    )

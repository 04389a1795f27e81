"""The part of a payload that the server gives: what a browser sends in its place is not read.

Annotations may be outdated: made from something that has changed since. They are kept and named, but do not
count. Packages register both in `AppConfig.ready`, because this room does not know the protocols' pages.
"""

from __future__ import annotations

from collections.abc import Callable

from django.db.models import QuerySet

from annotator.models import Annotation, Assignment
from scoring.protocol import Payload

Given = Callable[[Assignment, Payload], Payload]
"""Takes an assignment and what its annotation says, and returns what takes the place of the same keys."""

Outdated = Callable[[QuerySet[Annotation]], set[int]]
"""Takes annotations under a protocol, and returns the ids of the outdated ones."""

_GIVEN: dict[str, Given] = {}
_OUTDATED: dict[str, tuple[str, Outdated]] = {}


def register_given(protocol: str, given: Given) -> None:
    """Register what the server gives to every annotation under a protocol."""
    _GIVEN[protocol] = given


def register_outdated(protocol: str, followed: str, outdated: Outdated) -> None:
    """Register which annotations are outdated, and by changes of annotations under which protocol."""
    _OUTDATED[protocol] = (followed, outdated)


def outdated_among(protocol: str, annotations: QuerySet[Annotation]) -> set[int]:
    """Return the ids of the outdated annotations; no query for protocols that have none."""
    return _OUTDATED[protocol][1](annotations) if protocol in _OUTDATED else set()


def made_from(followed: str) -> list[str]:
    """Return the protocols whose annotations are outdated by changes of those under another."""
    return [protocol for protocol, (other, _) in _OUTDATED.items() if other == followed]


def with_given(assignment: Assignment, payload: object) -> object:
    """Return a payload with the given part in place of the same keys; anything but an object unchanged."""
    given = _GIVEN.get(assignment.batch.protocol)
    if given is None or not isinstance(payload, dict):
        return payload
    return {**payload, **given(assignment, payload)}


def payload_now(assignment: Assignment, annotation: Annotation) -> Payload:
    """Return the payload of an annotation; while it is open, with what the server gives now."""
    if annotation.pk is None or annotation.status == Annotation.Status.SUBMITTED:
        return dict(annotation.payload)
    given: Payload = with_given(assignment, annotation.payload)  # type: ignore[assignment]
    return given

"""The part of a payload that the server gives: what a browser sends in its place is not read.

Packages register it in `AppConfig.ready`, because this room does not know the protocols' pages.
"""

from __future__ import annotations

from collections.abc import Callable

from annotator.models import Annotation, Assignment
from scoring.protocol import Payload

Given = Callable[[Assignment, Payload], Payload]
"""Takes an assignment and what its annotation says, and returns what takes the place of the same keys."""

_GIVEN: dict[str, Given] = {}


def register_given(protocol: str, given: Given) -> None:
    """Register what the server gives to every annotation under a protocol."""
    _GIVEN[protocol] = given


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

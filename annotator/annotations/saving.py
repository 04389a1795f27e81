"""Save and submit annotations.

Every action names the version it replaces and carries an idempotency key. A stale version changes nothing; a
repeated key returns the stored state. Each change is one conditional UPDATE (or the first INSERT) and one
Event with the replaced values, in one transaction.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Final
from uuid import UUID

from django.utils import timezone

from annotator.annotations.capture import InvalidCapture, read_capture
from annotator.annotations.given import with_given
from annotator.annotations.versioned_changes import AnnotationChange, carry_out
from annotator.models import Annotation, Assignment, User
from scoring.protocol import CheckedAnnotation, InvalidPayload, Protocol
from scoring.service import get_protocol

LARGEST_PAYLOAD: Final = 256 * 1024
"""Bytes of canonical JSON, far more than any annotation needs; each save keeps a copy in an Event."""

# An escaped NUL is valid JSON that PostgreSQL cannot store; skip escaped backslashes before it.
_ESCAPED_NUL: Final = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")

EDITABLE: Final = frozenset({Annotation.Status.DRAFT, Annotation.Status.REOPENED})


def save_draft(
    *,
    assignment: Assignment,
    actor: User,
    payload: object,
    replaces: int,
    request_key: UUID,
    capture: object = None,
) -> Annotation:
    """Store a draft and return its row; the assignment stays open.

    `replaces` is the version the client saw, 0 for none. `capture` records how the annotation was made (see
    `annotator.annotations.capture`); if implausible, it is dropped and the Event notes it.
    Raises InvalidPayload, StaleVersion, AlreadySubmitted, KeyReused, Barred; all but the first carry the
    current row.
    """
    given = with_given(assignment, payload)
    answer = get_protocol(assignment.batch.protocol).clean(given, complete=False)
    kept, remarks = _captured(capture)
    request = (assignment, actor, replaces, request_key, EDITABLE)
    fields = checked_fields(answer) | kept
    return carry_out(AnnotationChange("draft_saved", *request, Assignment.Status.OPEN, fields, remarks))


def submit_annotation(
    *,
    assignment: Assignment,
    actor: User,
    payload: object,
    replaces: int,
    request_key: UUID,
    capture: object = None,
) -> Annotation:
    """Store a complete annotation with its ratings and return the row; the assignment is done.

    Ratings are exact and use the project's current weights. For `capture` and exceptions see `save_draft`.
    """
    protocol = get_protocol(assignment.batch.protocol)
    answer = protocol.clean(with_given(assignment, payload))
    derived = {
        "status": Annotation.Status.SUBMITTED,
        "ratings": ratings_of(answer, protocol, assignment.batch.project.exact_weights),
        "submitted_at": timezone.now(),
        # Read with the assignment: a version published in the meantime counts from the next request.
        "guideline": assignment.batch.project.guideline_versions.get(assignment.batch.protocol),
    }
    kept, remarks = _captured(capture)
    request = (assignment, actor, replaces, request_key, EDITABLE)
    fields = checked_fields(answer) | derived | kept
    return carry_out(AnnotationChange("submitted", *request, Assignment.Status.DONE, fields, remarks))


def checked_annotation(
    payload: object, protocol: Protocol, weights: Mapping[str, Fraction]
) -> tuple[dict[str, Any], list[list[str]]]:
    """Return a complete payload in stored form, and its ratings. Raises InvalidPayload."""
    answer = protocol.clean(payload)
    cleaned = answer.payload()
    _check_storable(cleaned)
    return cleaned, ratings_of(answer, protocol, weights)


def ratings_of(
    answer: CheckedAnnotation, protocol: Protocol, weights: Mapping[str, Fraction]
) -> list[list[str]]:
    """Return the ratings of a checked annotation: `[variable, component, "numerator/denominator"]`."""
    return [
        [variable, component, f"{value.numerator}/{value.denominator}"]
        for variable, component, value in protocol.ratings(answer, weights)
    ]


def checked_fields(answer: CheckedAnnotation) -> dict[str, Any]:
    """Return the columns of a checked annotation. Raises InvalidPayload if it cannot be stored."""
    payload = answer.payload()
    _check_storable(payload)
    warnings = [
        {"field": warning.field, "code": warning.code, "message": warning.message}
        for warning in answer.warnings
    ]
    return {"payload": payload, "warnings": warnings, "flagged": answer.flagged}


def _captured(capture: object) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the fields to store for a capture, and remarks for the Event; the latest capture wins."""
    if capture is None:
        return {}, {}
    try:
        kept = read_capture(capture)
    except InvalidCapture as error:
        return {}, {"capture_dropped": str(error)}
    active_ms = kept.get("active_ms")
    return {"capture": kept, "active_ms": None if active_ms is None else round(active_ms)}, {}


def _check_storable(payload: dict[str, Any]) -> None:
    """Refuse payloads that a database could not store unchanged, for every protocol."""
    try:
        text = json.dumps(payload, allow_nan=False, ensure_ascii=False)
        size = len(text.encode())  # refuses lone surrogates
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidPayload({"": ["Refused: the annotation cannot be stored as JSON."]}) from error
    if size > LARGEST_PAYLOAD:
        message = f"Refused: the annotation has {size} bytes; the limit is {LARGEST_PAYLOAD}."
        raise InvalidPayload({"": [message]})
    if _ESCAPED_NUL.search(text):
        raise InvalidPayload({"": ["Refused: the annotation contains a character that cannot be stored."]})

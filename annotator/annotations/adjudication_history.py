"""What was decided on an image, newest first, and whether codes were hidden from the lead who decided."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any, Final

from django.utils.dateparse import parse_datetime

from annotator.annotations.adjudication import ADJUDICATION_WITHDRAWN, VERBS, as_it_was
from annotator.models import Adjudication, Annotation, Event, Image
from scoring.causes import WORDS
from scoring.service import get_protocol

MOST: Final = 10
"""Values listed per image; one query each."""


def decisions_of(row: Adjudication) -> list[dict[str, Any]]:
    """Return the present value of an image, or its withdrawal, and those it replaced, newest first.

    At most MOST. `score` is the exact headline as text, `decided_by` a code; with `codes_hidden`, who decided
    saw letters in place of codes. `causes` has component, titles and note for each that differed, None if
    none were recorded. Each step follows the idempotency key to its Event by an index.
    """
    decisions: list[dict[str, Any]] = []
    said: Mapping[str, Any] | None = as_it_was(row)
    while said is not None and len(decisions) < MOST:
        event = _event_of(row.image, said.get("request_key"))
        decisions.append(_decision(row.protocol, said, event))
        said = None if event is None else event.data.get("replaced")
    return decisions


def in_hidden_order(image: Image, answers: Iterable[Annotation]) -> list[Annotation]:
    """Return annotations in an order that is fixed for the image and says nothing about codes.

    Each must be loaded with its annotator.
    """
    return sorted(answers, key=lambda answer: hidden_place(image, answer.assignment.annotator.code))


def hidden_place(image: Image, code: str) -> str:
    """Return the sorting key of an annotator of an image while codes are hidden."""
    return hashlib.sha256(f"{image.public_id}/{code}".encode()).hexdigest()


def _event_of(image: Image, request_key: str | None) -> Event | None:
    if not request_key:
        return None
    # The unique index on assignment and key finds the few Events with this key.
    with_key = Event.objects.filter(assignment=None, request_key=request_key, verb__in=VERBS)
    return next((event for event in with_key if event.data.get("image") == str(image.public_id)), None)


def _decision(protocol: str, said: Mapping[str, Any], event: Event | None) -> dict[str, Any]:
    causes = said.get("causes")
    value = get_protocol(protocol).headline_of(said["ratings"])
    return {
        **{name: said[name] for name in ("version", "payload", "note", "decided_by")},
        "withdrawn": said["status"] == Adjudication.Status.WITHDRAWN,
        "score": "" if value is None else f"{value.numerator}/{value.denominator}",
        "decided_at": parse_datetime(said["decided_at"]),
        "codes_hidden": event is not None
        and event.verb != ADJUDICATION_WITHDRAWN
        and bool(event.data.get("codes_hidden")),
        "causes": causes
        and [
            (component, ", ".join(WORDS[cause].title for cause in chosen["causes"]), chosen.get("note", ""))
            for component, chosen in causes.items()
        ],
    }

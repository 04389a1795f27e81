"""What was decided on an image, newest first, and whether codes were hidden from the lead who decided."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.utils.dateparse import parse_datetime

from annotator.annotations.adjudication import ADJUDICATION_WITHDRAWN, VERBS
from annotator.models import Adjudication, Annotation, Event, Image
from scoring.causes import WORDS
from scoring.protocol import Payload
from scoring.service import get_protocol

MOST: Final = 10
"""Values listed per image; one query each."""


@dataclass(frozen=True)
class Decision:
    """One value of an image, or its withdrawal; `score` is the exact headline as text.

    `decided_by` is the adjudicator's code. `codes_hidden` tells whether they saw letters in place of codes.
    `causes` is as stored; None if none were recorded.
    """

    version: int
    withdrawn: bool
    payload: Payload
    score: str
    note: str
    decided_by: str
    decided_at: datetime
    codes_hidden: bool = False
    causes: Mapping[str, Any] | None = None

    @property
    def named_causes(self) -> list[tuple[str, str, str]]:
        """The component, the titles of its causes and the note on them, for each that differed."""
        return [
            (component, ", ".join(WORDS[cause].title for cause in chosen["causes"]), chosen.get("note", ""))
            for component, chosen in (self.causes or {}).items()
        ]


def decisions_of(row: Adjudication) -> list[Decision]:
    """Return the present value and those it replaced, newest first, at most MOST.

    Each step follows the idempotency key to its Event by an index.
    """
    now: Mapping[str, Any] = {
        "version": row.version,
        "status": row.status,
        "payload": row.payload,
        "ratings": row.ratings,
        "note": row.note,
        "causes": row.causes,
        "decided_by": row.decided_by.code,
        "decided_at": row.decided_at,
        "request_key": row.request_key,
    }
    decisions: list[Decision] = []
    said: Mapping[str, Any] | None = now
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


def _event_of(image: Image, request_key: UUID | str | None) -> Event | None:
    if not request_key:
        return None
    # The unique index on assignment and key finds the few Events with this key.
    with_key = Event.objects.filter(assignment=None, request_key=request_key, verb__in=VERBS)
    return next((event for event in with_key if event.data.get("image") == str(image.public_id)), None)


def _decision(protocol: str, said: Mapping[str, Any], event: Event | None) -> Decision:
    moment = said["decided_at"]
    value = get_protocol(protocol).headline_of(said["ratings"])
    return Decision(
        version=said["version"],
        withdrawn=said["status"] == Adjudication.Status.WITHDRAWN,
        payload=said["payload"],
        score="" if value is None else f"{value.numerator}/{value.denominator}",
        note=said["note"],
        decided_by=said["decided_by"],
        decided_at=moment if isinstance(moment, datetime) else _moment(moment),
        codes_hidden=event is not None
        and event.verb != ADJUDICATION_WITHDRAWN
        and bool(event.data.get("codes_hidden")),
        causes=said.get("causes"),
    )


def _moment(text: str) -> datetime:
    moment = parse_datetime(text)
    assert moment is not None  # written by isoformat()
    return moment

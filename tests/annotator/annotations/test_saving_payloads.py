"""What no database may be given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from annotator.annotations.saving import LARGEST_PAYLOAD, InvalidPayload
from annotator.models import Annotation, Assignment, Event
from scoring.anatomy.protocol import ANATOMY
from scoring.protocol import PayloadWarning, Protocol
from tests.annotator.acting import LIMBS, save, submit
from tests.factories import make_payload

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("act", [save, submit])
@pytest.mark.parametrize(
    "payload",
    [
        make_payload(note="a\0b"),
        make_payload(note="\ud800"),
        make_payload(note="x" * 3000),
        make_payload(flag={"reason": "other", "note": "\0"}),
        {**make_payload(), "a\0b": 1},
        make_payload(people=2**70),
        make_payload(people=float("nan")),
        {**LIMBS, "marks": [{**LIMBS["marks"][0], "pins": [{"x": float("inf"), "y": 0}]}]},
        {**LIMBS, "marks": LIMBS["marks"] * 2},
        {**LIMBS, "marks": LIMBS["marks"] * 100_000},
        [],
        None,
        "text",
    ],
)
def test_what_cannot_be_stored_is_refused(
    assignment: Assignment, act: Callable[..., Annotation], payload: object
) -> None:
    with pytest.raises(InvalidPayload):
        act(assignment, payload)
    assert (Annotation.objects.count(), Event.objects.count()) == (0, 0)


class _Loose:
    """An answer of a protocol that forgot to check its texts."""

    warnings: tuple[PayloadWarning, ...] = ()
    flagged = False

    def __init__(self, payload: Any) -> None:
        self._payload = payload

    def payload(self) -> Any:
        return self._payload


@pytest.mark.parametrize(
    ("payload", "message"),
    [
        ({"note": "a\0b"}, "a character that cannot be stored"),
        ({"note": "\\\0"}, "a character that cannot be stored"),
        ({"a\0b": 1}, "a character that cannot be stored"),
        ({"note": "\udc00"}, "cannot be stored as JSON"),
        ({"note": float("nan")}, "cannot be stored as JSON"),
        ({"note": {1, 2}}, "cannot be stored as JSON"),
        ({"note": "é" * (LARGEST_PAYLOAD // 2)}, f"the limit is {LARGEST_PAYLOAD}"),
    ],
)
def test_a_careless_protocol_does_not_reach_the_database(
    assignment: Assignment, monkeypatch: pytest.MonkeyPatch, payload: object, message: str
) -> None:
    _use_loose_protocol(monkeypatch, payload)
    with pytest.raises(InvalidPayload, match=message):
        save(assignment)
    assert Annotation.objects.count() == 0


def test_a_backslash_is_no_escape(assignment: Assignment, monkeypatch: pytest.MonkeyPatch) -> None:
    _use_loose_protocol(monkeypatch, {"note": "\\u0000 and \\\\u0000"})
    assert save(assignment).payload == {"note": "\\u0000 and \\\\u0000"}


def _use_loose_protocol(monkeypatch: pytest.MonkeyPatch, payload: object) -> None:
    answer = _Loose(payload)

    def clean(payload: object, *, complete: bool = True) -> _Loose:
        return answer

    def find(slug: str) -> Protocol:
        return replace(ANATOMY, clean=clean)

    monkeypatch.setattr("annotator.annotations.saving.get_protocol", find)

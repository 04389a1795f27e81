"""Dots: which are stored, what is refused in which words, and what they warn about."""

import json
from typing import Any

import pytest

from scoring.anatomy.cleaning import clean
from scoring.anatomy.protocol import ratings
from scoring.protocol import InvalidPayload, PayloadWarning
from tests.scoring.drafts import mark, payload


def test_a_payload_without_dots_keeps_its_bytes_and_one_with_dots_comes_back() -> None:
    plain = payload(mark(1, 3, "b"), hands=3)
    nothing: list[dict[str, Any]] = [{}, {"dots": {}}, {"dots": {"hands": []}}]
    for empty in nothing:
        assert json.dumps(clean({**plain, **empty}).payload()) == json.dumps(clean(plain).payload())
    dots = {"feet": [[0, 1]], "hands": [[0.41238, 0.633], [0.5, 0.5], [0.1, 0.2]]}
    stored = clean({**plain, "dots": dots}).payload()
    assert stored["dots"] == {"feet": [[0.0, 1.0]], "hands": [[0.4124, 0.633], [0.5, 0.5], [0.1, 0.2]]}
    assert clean(stored).payload() == stored
    assert ratings(clean(stored)) == ratings(clean(plain))


@pytest.mark.parametrize(
    ("dots", "field", "message"),
    [
        ({"arms": []}, "dots", "Refused: dots of “arms”; parts are torso, limbs, feet, hands, face."),
        ({"hands": [[0.5, 0.5]] * 201}, "dots.hands", "Refused: 201 dots of hands; the limit is 200."),
        (
            {"face": [[0.1, 0.1], [0.5, 1.01]]},
            "dots.face",
            "Refused: dot 2 of face is not [x, y] with numbers from 0 to 1.",
        ),
        (
            {"face": [[True, 0.5]]},
            "dots.face",
            "Refused: dot 1 of face is not [x, y] with numbers from 0 to 1.",
        ),
        (
            {"face": [{"x": 0, "y": 0}]},
            "dots.face",
            "Refused: dot 1 of face is not [x, y] with numbers from 0 to 1.",
        ),
        (
            {"face": [[float("nan"), 0]]},
            "dots.face",
            "Refused: dot 1 of face is not [x, y] with numbers from 0 to 1.",
        ),
        ({"face": 3}, "dots.face", "Refused: expected a list."),
        ([], "dots", "Refused: expected an object."),
    ],
)
def test_other_dots_are_refused(dots: Any, field: str, message: str) -> None:
    with pytest.raises(InvalidPayload) as refused:
        clean(payload(dots=dots), complete=False)
    assert refused.value.errors == {field: [message]}


def test_a_count_that_is_not_the_number_of_dots_is_doubted() -> None:
    nine = {"hands": [[0.1, 0.1]] * 9, "face": [[0.2, 0.2]]}
    answer = clean(payload(hands=10, no_errors=True, dots=nine))
    assert answer.warnings == (
        PayloadWarning(
            "counts.visible.hands", "dots_differ", "9 dots, 10 entered for visible hands. Kept as typed."
        ),
        PayloadWarning(
            "counts.visible.face", "dots_differ", "1 dot, none entered for visible faces. Kept as typed."
        ),
    )
    assert clean(payload(hands=9, no_errors=True, dots={"hands": nine["hands"]})).warnings == ()

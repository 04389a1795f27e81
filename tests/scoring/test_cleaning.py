"""Checking payloads and dots: every rule of the annotation page, with its exact message."""

import json
from typing import Any

import pytest

from scoring.anatomy.annotation import Mark
from scoring.anatomy.cleaning import clean
from scoring.anatomy.protocol import ratings
from scoring.grid.taxonomy import CELLS, ERROR_TYPES, SEVERITIES
from scoring.protocol import InvalidPayload, PayloadWarning
from tests.scoring.drafts import HANDS, mark, payload, refusals

HINT = "Enter the number of people (W), or type / and the total."

# What is kept


def test_the_example_of_the_labelling_page_comes_back_as_it_went_in() -> None:
    counts = {"torso": 2, "limbs": 4, "feet": 4, "hands": 3, "face": 2}
    example = {
        "people": 2,
        "counts": {"expected": counts, "visible": counts},
        "counts_set": {"expected": ["limbs", "hands"], "visible": []},
        "marks": [
            mark(1, 4, "c", type="missing", part="limbs"),
            mark(1, 3, "b", type="missing", part="hands"),
            mark(2, 2, "a", type="missing", part="face"),
            mark(1, 3, "b"),
            mark(1, 3, "c", pins=[{"x": 0.441, "y": 0.689}]),
        ],
        "no_errors": False,
        "flag": None,
        "note": "",
    }
    answer = clean(example)
    assert json.dumps(answer.payload()) == json.dumps(example)
    assert answer.warnings == ()
    assert answer.marks[-1] == Mark("configuration", "hands", "c", 1, 3, False, ((0.441, 0.689),))


def test_marks_are_put_in_order() -> None:
    marks = [
        mark(1, 9, severity, type=cell.error_type, part=cell.body_part)
        for cell in reversed(CELLS)
        for severity in "cba"
    ]
    cleaned = clean(payload(*marks)).payload()["marks"]
    assert [(m["type"], m["part"], m["severity"]) for m in cleaned] == [
        (cell.error_type, cell.body_part, severity) for cell in CELLS for severity in SEVERITIES
    ]


def test_affected_zero_removes_the_mark() -> None:
    assert clean(payload(mark(0, 3), mark(1, 3, "c"), hands=3)).payload()["marks"] == [mark(1, 3, "c")]
    assert clean(payload(mark(0, 0, "c")), complete=False).marks == ()


def test_a_mark_without_a_total_takes_the_count() -> None:
    assert clean(payload(mark(1), hands=3)).payload()["marks"] == [mark(1, 3)]


def test_a_total_no_count_backs_is_the_marks_own() -> None:
    assert clean(payload(mark(1, 3))).marks[0].own_total is True
    assert clean(payload(mark(1, 4), hands=3)).marks[0].own_total is True
    assert clean(payload(mark(3, 4), hands=3)).marks[0].own_total is True
    assert clean(payload(mark(1, 3), hands=3)).marks[0].own_total is False
    assert clean(payload(mark(1, 3, own_total=True), hands=3)).marks[0].own_total is True
    assert clean(payload(mark(1, None, own_total=True), hands=3)).marks[0].own_total is False


def test_missing_and_extra_use_the_expected_count() -> None:
    counts = {"expected": {"hands": 4}, "visible": {"hands": 3}}
    marks = [mark(1, type=error_type) for error_type in ERROR_TYPES]
    answer = clean(payload(*marks, counts=counts))
    assert [m.total for m in answer.marks] == [4, 4, 3, 3, 3]


def test_more_expected_than_people_have_is_silent() -> None:
    counts = {"expected": {"hands": 9}, "visible": {"hands": 9}}
    answer = clean(payload(mark(1, 9), people=1, counts=counts))
    assert answer.warnings == ()
    assert (answer.people, answer.expected, answer.visible) == (1, {"hands": 9}, {"hands": 9})


@pytest.mark.parametrize(
    ("visible", "error_type", "part", "text"),
    [
        (5, "extra", "hands", ""),
        (5, "extra", "limbs", ""),
        (5, "extra", "face", "5 visible hands, but 4 expected and none marked as extra. Kept as typed."),
        (5, "missing", "hands", "5 visible hands, but 4 expected and none marked as extra. Kept as typed."),
        (1, "missing", "torso", ""),
        (1, "extra", "hands", "1 visible hand, but 4 expected and none marked as missing. Kept as typed."),
    ],
)
def test_counts_that_differ_need_a_mark(visible: int, error_type: str, part: str, text: str) -> None:
    counts = {"expected": {"hands": 4}, "visible": {"hands": visible}}
    answer = clean(payload(mark(1, 4, type=error_type, part=part), counts=counts))
    found = [PayloadWarning("counts.visible.hands", "counts_contradict", text)] if text else []
    assert [warning for warning in answer.warnings if warning.code == "counts_contradict"] == found


@pytest.mark.parametrize("reason", ["no_body", "broken", "cannot_judge", "distressing", "ambiguous", "other"])
def test_a_flag_is_kept_beside_the_marks(reason: str) -> None:
    flag = {"reason": reason, "note": "behind a tree"}
    assert clean(payload(mark(1, 3), flag=flag)).payload()["flag"] == flag
    assert clean(payload(flag={"reason": reason}), complete=False).flag == {"reason": reason, "note": ""}


def test_what_is_no_mark_is_refused() -> None:
    assert refusals(payload(3)) == {"marks": ["Refused: expected an object."]}


def test_pins_on_the_edges_and_up_to_affected() -> None:
    pins = [{"x": 0, "y": 1}, {"x": -0.0, "y": 0.5}]
    (kept,) = clean(payload(mark(2, 3, pins=pins))).marks
    assert str(kept.pins) == "((0.0, 1.0), (0.0, 0.5))"


# What is kept with a warning


@pytest.mark.parametrize(
    ("marks", "hands", "code", "message"),
    [
        (
            [mark(1, 3, "b"), mark(3, 3, "c")],
            3,
            "affected_sum_above_total",
            "1 + 3 = 4 affected, but 3 visible hands. Kept; correct if one part was counted twice.",
        ),
        (
            [mark(1, 12, "b"), mark(1, 16, "c")],
            16,
            "different_totals",
            "Different totals in this cell (12 and 16). Kept as typed.",
        ),
        (
            [mark(1, 18, "b", own_total=True)],
            17,
            "total_differs_from_count",
            "Total 18 here, 17 elsewhere for visible hands. Kept as typed.",
        ),
        ([mark(1)], None, "no_total", f"No count yet for hands. {HINT}"),
    ],
)
def test_warnings(marks: list[Any], hands: int | None, code: str, message: str) -> None:
    answer = clean(payload(*marks, hands=hands), complete=False)
    assert answer.warnings == (PayloadWarning(HANDS, code, message),)


# What is refused


@pytest.mark.parametrize(
    ("given", "field", "message"),
    [
        (payload(mark(4, 3), hands=3), HANDS, "4 of 3 is not possible: you counted 3 visible hands."),
        (
            payload(mark(1, 0)),
            HANDS,
            "A total of 0 is not possible: if none is visible, there is nothing to mark.",
        ),
        (
            payload(mark(2, 3), hands=1),
            "counts.visible.hands",
            "A count of 1 is not possible: you marked 2 hands with an error.",
        ),
        (
            payload(mark(1, 3), mark(1, 3, "c"), mark(1, 3, type="missing"), no_errors=True),
            "no_errors",
            "Refused: 3 errors are entered. Remove them first, or submit without “No errors”.",
        ),
        (payload(mark(1, 3), mark(1, 3)), HANDS, "Refused: severity b twice in Configuration · Hands."),
        (
            payload(mark(1, 3, pins=[{"x": 0, "y": 0}, {"x": 1, "y": 1}])),
            HANDS,
            "Refused: 2 pins for 1 affected.",
        ),
    ],
)
@pytest.mark.parametrize("complete", [False, True])
def test_impossible_answers(given: object, field: str, message: str, complete: bool) -> None:
    assert refusals(given, complete=complete) == {field: [message]}


# What a submission needs


def test_an_empty_draft_is_kept_but_not_submitted() -> None:
    assert refusals(payload(), complete=True) == {"": ["Not submitted: the annotation is empty."]}
    flagged = payload(flag={"reason": "ambiguous", "note": ""})
    assert refusals(flagged, complete=True) == {"": ["Not submitted: the annotation is empty."]}
    assert clean(payload(no_errors=True)).no_errors is True


def test_a_mark_without_a_total_is_kept_but_not_submitted() -> None:
    draft = payload(mark(1), mark(1, None, "c"), mark(1, None, type="missing"))
    assert [m.total for m in clean(draft, complete=False).marks] == [None, None, None]
    assert refusals(draft, complete=True) == {
        "marks.missing.hands": [f"Not submitted: Missing · Hands has no total. {HINT}"],
        HANDS: [f"Not submitted: Configuration · Hands has no total. {HINT}"],
    }


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

"""The anatomy protocol as a value: ratings, empty payloads, payloads from cells."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.anatomy.protocol import ANATOMY, AnatomyAnnotation, clean, payload_from_cells
from scoring.grid.notation import parse_cell
from scoring.grid.severity_weights import DEFAULT_WEIGHTS
from scoring.grid.taxonomy import BODY_PARTS, COUNT_KINDS, ERROR_TYPES, SEVERITIES
from scoring.protocol import InvalidPayload
from scoring.service import PROTOCOLS, get_protocol
from tests.scoring.drafts import HANDS, json_values, mark, payload, refusals

EXAMPLE = {
    "configuration.hands": parse_cell("1/3c,1/3b"),
    "missing.face": parse_cell("2/2a"),
    "missing.limbs": parse_cell("1/4c"),
    "missing.hands": parse_cell("1/3b"),
}


def test_ratings_are_the_score_and_one_fraction_for_each_mark() -> None:
    answer = ANATOMY.clean(payload_from_cells(EXAMPLE))
    assert ANATOMY.ratings(answer, DEFAULT_WEIGHTS) == (
        ("cumulative_score", "", Fraction(67, 60)),
        ("error_fraction", "missing.limbs.c", Fraction(1, 4)),
        ("error_fraction", "missing.hands.b", Fraction(1, 3)),
        ("error_fraction", "missing.face.a", Fraction(1)),
        ("error_fraction", "configuration.hands.b", Fraction(1, 3)),
        ("error_fraction", "configuration.hands.c", Fraction(1, 3)),
    )


def test_every_protocol_compares_images_by_one_value() -> None:
    headlines = [
        (slug, variable.name)
        for slug in PROTOCOLS
        for variable in get_protocol(slug).variables
        if variable.headline
    ]
    assert headlines == [
        ("anatomy", "cumulative_score"),
        ("presence", "cells_marked"),
        ("realism", "rating"),
        ("defect-verdict", "verdict"),
        ("defect-marks", "defects"),
        ("defect-check", "masks_kept"),
        ("defect-quality", "completeness"),
    ]


def test_an_empty_payload_is_new_each_time() -> None:
    first = ANATOMY.empty()
    first["marks"].append("spoilt")
    assert ANATOMY.empty() == payload_from_cells({})


@pytest.mark.parametrize("number", [-1, 100, 1.0, 1.5, True, "1", "١", [], {}, 10**400])
def test_numbers_are_whole_and_from_0_to_99(number: object) -> None:
    message = "Enter a whole number from 0 to 99."
    assert refusals(payload(mark(number, 99))) == {HANDS: [message]}
    assert refusals(payload(mark(1, number))) == {HANDS: [message]}
    assert refusals(payload(hands=number)) == {"counts.visible.hands": [message]}
    assert refusals(payload(people=number)) == {"people": ["Enter a whole number from 1 to 99."]}


@pytest.mark.parametrize(
    ("given", "field", "message"),
    [
        (None, "", "Refused: expected an object."),
        (payload(score=1), "", "Refused: unknown key “score”."),
        (dict.fromkeys("fghijkl", 1), "", "Refused: unknown key “f”, “g”, “h”, “i”, “j” and 2 more."),
        ({"\ud800\0\n": 1}, "", "Refused: unknown key “���”."),
        ({"x" * 50: 1}, "", f"Refused: unknown key “{'x' * 40}…”."),
        (payload(counts=[]), "counts", "Refused: expected an object."),
        (payload(counts={"visible": {"ears": 2}}), "counts.visible", "Refused: unknown key “ears”."),
        (payload(counts_set={"visible": {}}), "counts_set.visible", "Refused: expected a list."),
        (
            payload(counts_set={"visible": ["hands"]}),
            "counts_set.visible",
            "Refused: hands is marked as set but has no count.",
        ),
        (payload(marks={}), "marks", "Refused: expected a list."),
        (payload(mark(1, 3, pins=[[0, 0]])), HANDS, "Refused: expected an object."),
        (payload(*[mark(0)] * 76), "marks", "Refused: 76 entries; the limit is 75."),
        (payload(mark(1, 3, type="melted")), "marks", "Refused: unknown error type “melted”."),
        (payload(mark(1, 3, part=["hands"])), "marks", "Refused: unknown body part “list”."),
        (payload(mark(1, 3, "B")), HANDS, "Refused: unknown severity “B”."),
        (payload(mark(1, 3, None)), HANDS, "Refused: no severity given."),
        (payload(no_errors=1), "no_errors", "Refused: expected true or false."),
        (payload(flag={"note": "x"}), "flag", "Refused: no reason given."),
        (payload(flag={"reason": "boring"}), "flag", "Refused: unknown reason “boring”."),
        (payload(note=None), "note", "Refused: expected a text."),
        (payload(note="x" * 2001), "note", "Refused: 2001 characters; the limit is 2000."),
        (payload(note="a\0b"), "note", "Refused: the text contains a character that cannot be stored."),
    ],
)
def test_wrong_shapes_are_refused_by_name(given: object, field: str, message: str) -> None:
    assert refusals(given) == {field: [message]}


@pytest.mark.parametrize("place", [-0.01, 1.01, float("nan"), float("inf"), True, "0.5", None, 10**400])
def test_pins_lie_within_the_image(place: object) -> None:
    given = payload(mark(1, 3, pins=[{"x": place, "y": 0.5}]))
    assert refusals(given) == {HANDS: ["Refused: expected a number from 0 to 1."]}


def test_all_faults_are_reported_at_once() -> None:
    assert refusals(payload(mark("1", 3), people=0, note=1)) == {
        "people": ["Enter a whole number from 1 to 99."],
        HANDS: ["Enter a whole number from 0 to 99."],
        "note": ["Refused: expected a text."],
    }


# Any JSON value

_counts = st.dictionaries(st.sampled_from(BODY_PARTS), st.integers(2, 6) | st.none())
_pins = st.lists(st.fixed_dictionaries({"x": st.floats(0, 1), "y": st.integers(0, 1)}), max_size=1)
_marks = st.lists(
    st.fixed_dictionaries(
        {
            "type": st.sampled_from(ERROR_TYPES),
            "part": st.sampled_from(BODY_PARTS),
            "severity": st.sampled_from(SEVERITIES),
            "affected": st.integers(0, 2),
        },
        optional={"total": st.integers(2, 6) | st.none(), "own_total": st.booleans(), "pins": _pins},
    ),
    max_size=6,
)
_near_misses = st.fixed_dictionaries(
    {},
    optional={
        "people": st.integers(1, 9) | st.none(),
        "counts": st.dictionaries(st.sampled_from(COUNT_KINDS), _counts),
        "marks": _marks,
        "no_errors": st.just(False) | st.booleans(),
        "flag": st.none() | st.just({"reason": "other"}),
        "note": st.text(max_size=5),
    },
)
_by_key = st.dictionaries(
    st.sampled_from(["people", "counts", "counts_set", "marks", "no_errors", "flag", "note", "x"]),
    json_values
    | st.lists(st.dictionaries(st.sampled_from(["type", "part", "severity", "pins"]), json_values)),
)


def _cleaned(given: object, *, complete: bool) -> AnatomyAnnotation | None:
    try:
        return clean(given, complete=complete)
    except InvalidPayload as refused:
        json.dumps(refused.errors, ensure_ascii=False).encode()  # messages can be sent
        return None


@given(json_values | _by_key | _near_misses, st.booleans())
def test_any_json_value_is_cleaned_or_refused_and_cleaning_twice_changes_nothing(
    value: object, complete: bool
) -> None:
    answer = _cleaned(value, complete=complete)
    if answer is not None:
        again = json.loads(json.dumps(answer.payload()))
        assert clean(again, complete=complete) == answer
        assert clean(again, complete=complete).warnings == answer.warnings

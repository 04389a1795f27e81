"""The realism protocol: payloads, refusals by field, ratings, and the comparison with a reference."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from scoring.protocol import InvalidPayload
from scoring.realism.protocol import INVALID_REASONS, REALISM, clean, compare, outcome, ratings

EMPTY: dict[str, Any] = {"rating": None, "invalid": None, "note": "", "flag": None}


def refused(payload: object, *, complete: bool = True) -> dict[str, list[str]]:
    """Return the messages by field."""
    with pytest.raises(InvalidPayload) as found:
        clean(payload, complete=complete)
    return found.value.errors


@pytest.mark.parametrize("rating", range(1, 11))
def test_a_rating_is_stored_and_rated(rating: int) -> None:
    answer = clean({"rating": rating})
    assert answer.payload() == {**EMPTY, "rating": rating}
    assert ratings(answer, {}) == (("rating", "", Fraction(rating)),)
    assert REALISM.headline_of(ratings(answer, {})) == rating
    assert clean(answer.payload()) == answer


def test_five_raters_are_usual_and_three_give_a_score() -> None:
    assert (REALISM.raters, REALISM.scored_from) == (5, 3)
    assert outcome([{"rating": 7}] * REALISM.scored_from).score == 7
    assert outcome([{"rating": 7}] * (REALISM.scored_from - 1)).reason == "too_few"


@pytest.mark.parametrize("reason", INVALID_REASONS)
def test_an_invalid_image_has_a_reason_and_no_rating(reason: str) -> None:
    answer = clean({"invalid": reason, "note": "a statue"})
    assert answer.payload() == {**EMPTY, "invalid": reason, "note": "a statue"}
    assert ratings(answer, {}) == (("invalid", reason, Fraction(1)),)
    assert REALISM.headline_of(ratings(answer, {})) is None


def test_an_empty_draft_is_kept_but_not_submitted() -> None:
    assert clean({}, complete=False).payload() == EMPTY == REALISM.empty()
    assert refused({}).keys() == {""}
    assert clean({"invalid": "other"}, complete=False).payload() == {**EMPTY, "invalid": "other"}


NO_RATINGS: list[object] = [0, 11, -3, 7.5, 7.0, "7", True, [7], {}]
NO_REASONS: list[object] = ["ugly", "", 1, True, ["other"]]


@pytest.mark.parametrize(
    ("payload", "field"),
    [
        *(({"rating": value}, "rating") for value in NO_RATINGS),
        *(({"invalid": value}, "invalid") for value in NO_REASONS),
        ({"rating": 7, "invalid": "no_person"}, "invalid"),
        ({"rating": 7, "note": "x" * 2001}, "note"),
        ({"rating": 7, "note": "\0"}, "note"),
        ({"rating": 7, "flag": {"reason": "bored"}}, "flag"),
        ({"rating": 7, "score": 7}, ""),
        ([], ""),
        (None, ""),
    ],
)
@pytest.mark.parametrize("complete", [True, False])
def test_what_cannot_be_is_refused_by_field(payload: object, field: str, complete: bool) -> None:
    errors = refused(payload, complete=complete)
    assert field in errors
    assert errors.keys() - {field} <= ({""} if complete else set())


@pytest.mark.parametrize("note", ["", "  \n"])
def test_another_reason_needs_a_note(note: str) -> None:
    assert refused({"invalid": "other", "note": note}).keys() == {"note"}


@pytest.mark.parametrize(
    ("reference", "answer", "verdicts"),
    [
        ({"rating": 6}, {"rating": 6}, [("rating", "hit")]),
        ({"rating": 6}, {"rating": 7}, [("rating", "hit")]),
        ({"rating": 6}, {"rating": 5}, [("rating", "hit")]),
        ({"rating": 6}, {"rating": 8}, [("rating", "missed")]),
        ({"rating": 6}, {"rating": 1}, [("rating", "missed")]),
        ({"invalid": "no_person"}, {"invalid": "multiple_people"}, [("invalid", "hit")]),
        ({"invalid": "no_person"}, {"rating": 1}, [("rating", "alone"), ("invalid", "missed")]),
        ({"rating": 1}, {"invalid": "no_person"}, [("rating", "missed"), ("invalid", "alone")]),
    ],
)
def test_a_reference_is_hit_within_one_and_invalid_must_match(
    reference: dict[str, Any], answer: dict[str, Any], verdicts: list[tuple[str, str]]
) -> None:
    compared = compare(clean(reference), clean(answer))
    assert [(one.component, one.verdict) for one in compared.components] == verdicts

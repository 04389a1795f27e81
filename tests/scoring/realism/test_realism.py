"""Realism: payloads and references; the consolidation against the published tables; resampled raters."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from functools import partial
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np
import pytest

from scoring.realism.consolidation import class_of, consolidate, mean_of, quantile, rule_of, words_of
from scoring.realism.protocol import INVALID_REASONS, REALISM, clean, compare, outcome
from scoring.realism.reliability import Reliability, reliability_of
from tests.scoring.drafts import refusals

FIVES = list(combinations_with_replacement(range(1, 11), 5))


@pytest.mark.parametrize(
    ("ratings", "invalid", "branch", "kept", "bounds", "score"),
    [
        ((2, 3, 3, 4, 5), 0, "top_two", (4, 5), None, "9/2"),
        ((1, 1, 2, 2, 3), 0, "top_two", (2, 3), None, "5/2"),
        ((7, 8, 9, 9, 10), 0, "kept", (9, 9), ("9", "17/2", "19/2"), "9"),
        ((3, 6, 8, 9, 10), 0, "kept", (8, 9), ("8", "13/2", "19/2"), "17/2"),
        ((2, 7, 8, 9, 9), 0, "kept", (8,), ("8", "7", "9"), "8"),
        ((9, 9, 9, 9, 9), 0, "none_kept", (9, 9, 9, 9, 9), ("9", "9", "9"), "9"),
        ((1, 9, 9, 9, 9), 0, "none_kept", (1, 9, 9, 9, 9), ("9", "9", "9"), "37/5"),
        ((8, 8, 8, 8, 8), 0, "top_two", (8, 8), None, "8"),
        ((8, 8, 8, 8, 9), 0, "none_kept", (8, 8, 8, 8, 9), ("8", "8", "8"), "41/5"),
        ((4, 9, 9, 10), 1, "kept", (9, 9), ("9", "33/4", "39/4"), "9"),
        ((6, 9, 10), 2, "kept", (9,), ("9", "8", "10"), "9"),
        ((9, 10), 3, "invalid", (), None, None),
        ((9, 10), 2, "too_few", (), None, None),
    ],
)
def test_the_published_table(
    ratings: tuple[int, ...],
    invalid: int,
    branch: str,
    kept: tuple[int, ...],
    bounds: tuple[str, str, str] | None,
    score: str | None,
) -> None:
    found = consolidate(ratings, invalid)
    assert (found.branch, found.kept, found.invalid_votes) == (branch, kept, invalid)
    assert found.score == (None if score is None else Fraction(score))
    expected = (None, None, None) if bounds is None else tuple(map(Fraction, bounds))
    assert (found.median, found.lower, found.upper) == expected


def test_quantiles_are_those_of_numpy() -> None:
    for ratings in FIVES:
        for share in (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4)):
            assert float(quantile(ratings, share)) == np.quantile(ratings, float(share))


def test_the_rule_is_not_monotone() -> None:
    assert consolidate([1, 1, 1, 8, 8]).score == 8
    assert consolidate([1, 1, 1, 8, 9]).score == 1
    raised = lowered = 0
    for ratings in FIVES:
        before = consolidate(ratings).score
        for place, rating in enumerate(ratings):
            if rating < 10:
                after = consolidate([*ratings[:place], rating + 1, *ratings[place + 1 :]]).score
                assert before is not None
                assert after is not None
                raised += 1
                lowered += after < before
    assert (len(FIVES), raised, lowered) == (2002, 9009, 1103)


def test_all_multisets_of_five_as_by_a_second_implementation() -> None:
    """Which read the rule as it is published, one branch after the other; 100 keep nothing."""
    found = [consolidate(ratings) for ratings in FIVES]
    assert Counter(each.branch for each in found) == {"kept": 1110, "top_two": 792, "none_kept": 100}
    assert (sum(each.score or 0 for each in found), sum(each.unstable for each in found)) == (12397, 882)


def test_the_class_often_differs_from_that_of_the_mean() -> None:
    close = [ratings for ratings in FIVES if ratings[-1] - ratings[0] <= 4]
    differing = sum(consolidate(ratings).realism_class != class_of(mean_of(ratings)) for ratings in close)
    assert (len(close), differing) == (476, 114)


@pytest.mark.parametrize(("score", "expected"), [("2999/1000", "low"), ("3", "middle"), ("7", "middle")])
def test_the_bounds_of_the_classes_are_in_the_middle(score: str, expected: str) -> None:
    assert class_of(Fraction(score)) == expected
    assert class_of(Fraction("7.001")) == "high"


@pytest.mark.parametrize("ratings", [[0, 5, 5], [5, 5, 11]])
def test_ratings_outside_the_scale_are_refused(ratings: list[int]) -> None:
    with pytest.raises(ValueError, match="from 1 to 10"):
        consolidate(ratings)


def test_the_number_of_invalid_votes_is_a_setting() -> None:
    assert consolidate([8, 8, 8], 2, invalid_from=2).branch == "invalid"
    assert consolidate([8, 8, 8], 2).score == 8


def test_more_invalid_votes_are_allowed_by_the_setting() -> None:
    found = consolidate([5, 5, 5], 3, invalid_from=4)
    # A changed rating is judged by the same number, so it does not become invalid.
    assert found.score == 5
    assert not found.unstable
    assert consolidate([7, 7, 8], 3, invalid_from=4).unstable
    assert (rule_of(), rule_of(4)) == ("published-1", "published-1 invalid_from=4")
    assert words_of("invalid", 4) == "4 or more invalid votes"


X = 0
"""An invalid vote."""


def enumerated(votes: tuple[int, ...]) -> Reliability | None:
    """Return the reliability by walking all n to the power of n ordered resamples."""
    own = consolidate([vote for vote in votes if vote], votes.count(X))
    if own.score is None:
        return None
    found = [
        consolidate([vote for vote in drawn if vote], drawn.count(X))
        for drawn in product(votes, repeat=len(votes))
    ]
    scores = sorted(each.score for each in found if each.score is not None)
    low, high = (scores[math.ceil(share * len(scores)) - 1] for share in (Fraction(1, 40), Fraction(39, 40)))
    changed = sum(each.realism_class != own.realism_class for each in found)
    return Reliability(low, high, Fraction(changed, len(found)))


@pytest.mark.parametrize(
    "votes",
    [(1, 9, 9, 9, 9), (7, 8, 9, 9, 10), (X, 4, 9, 9, 10), (X, X, 6, 9, 10), (X, X, X, 9, 10), (8, 9, 9)],
)
def test_all_resamples_are_counted_exactly(votes: tuple[int, ...]) -> None:
    assert reliability_of([vote for vote in votes if vote], votes.count(X)) == enumerated(votes)


@pytest.mark.parametrize(("ratings", "invalid"), [([9, 10], 3), ([9, 10], 0), ([], 5)])
def test_an_image_without_a_score_has_none(ratings: list[int], invalid: int) -> None:
    assert reliability_of(ratings, invalid) is None


def test_many_raters_are_drawn_by_a_fixed_seed() -> None:
    ratings = [3, 5, 7, 8, 8, 9, 9, 10, 10]
    found = reliability_of(ratings)
    assert found is not None
    assert found == reliability_of(ratings[::-1])
    assert found.changes.denominator <= 2000
    assert found.low < found.high


EMPTY: dict[str, Any] = {"rating": None, "invalid": None, "note": "", "flag": None}


refused = partial(refusals, complete=True, by=clean)


@pytest.mark.parametrize("rating", range(1, 11))
def test_a_rating_is_stored_and_rated(rating: int) -> None:
    answer = clean({"rating": rating})
    assert answer.payload() == {**EMPTY, "rating": rating}
    assert REALISM.ratings(answer, {}) == (("rating", "", Fraction(rating)),)
    assert REALISM.headline_of(REALISM.ratings(answer, {})) == rating
    assert clean(answer.payload()) == answer


def test_five_raters_are_usual_and_three_give_a_score() -> None:
    assert (REALISM.raters, REALISM.scored_from) == (5, 3)
    assert outcome([{"rating": 7}] * REALISM.scored_from).score == 7
    assert outcome([{"rating": 7}] * (REALISM.scored_from - 1)).reason == "too_few"


@pytest.mark.parametrize("reason", INVALID_REASONS)
def test_an_invalid_image_has_a_reason_and_no_rating(reason: str) -> None:
    answer = clean({"invalid": reason, "note": "a statue"})
    assert answer.payload() == {**EMPTY, "invalid": reason, "note": "a statue"}
    assert REALISM.ratings(answer, {}) == (("invalid", reason, Fraction(1)),)
    assert REALISM.headline_of(REALISM.ratings(answer, {})) is None


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

"""The consolidation of ratings: the published tables to the digit, its oddities, and a straight reference."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.realism.consolidation import class_of, consolidate, mean_of, quantile, rule_of, words_of
from tests.scoring.realism.reference import reference

FIVES = list(combinations_with_replacement(range(1, 11), 5))
ANSWERS = st.lists(st.one_of(st.none(), st.integers(1, 10)), min_size=3, max_size=9)


def of(answers: list[int | None]) -> tuple[str, Fraction | None]:
    """Return the product's (branch, score)."""
    found = consolidate([each for each in answers if each is not None], answers.count(None))
    return found.branch, found.score


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


@pytest.mark.thorough
def test_a_straight_reference_agrees_on_10000_random_multisets() -> None:
    draw = random.Random(20240711)
    for _ in range(10_000):
        # From three answers to nine, about one in eight of them invalid.
        count = draw.randint(3, 9)
        answers = [None if draw.random() < 1 / 8 else draw.randint(1, 10) for _ in range(count)]
        assert of(answers) == reference(answers), answers


@given(ANSWERS, st.randoms(use_true_random=False))
def test_the_order_of_answers_does_not_matter(answers: list[int | None], draw: random.Random) -> None:
    mixed = list(answers)
    draw.shuffle(mixed)
    assert of(mixed) == of(answers)


@given(ANSWERS)
def test_a_score_lies_among_its_ratings(answers: list[int | None]) -> None:
    _, score = of(answers)
    rated = [each for each in answers if each is not None]
    assert score is None or min(rated) <= score <= max(rated)


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


def test_100_of_the_multisets_of_five_keep_nothing() -> None:
    assert sum(consolidate(ratings).branch == "none_kept" for ratings in FIVES) == 100


def test_the_class_often_differs_from_that_of_the_mean() -> None:
    close = [ratings for ratings in FIVES if ratings[-1] - ratings[0] <= 4]
    differing = sum(consolidate(ratings).realism_class != class_of(mean_of(ratings)) for ratings in close)
    assert (len(close), differing) == (476, 114)


@pytest.mark.parametrize(("score", "expected"), [("2999/1000", "low"), ("3", "middle"), ("7", "middle")])
def test_the_bounds_of_the_classes_are_in_the_middle(score: str, expected: str) -> None:
    assert class_of(Fraction(score)) == expected
    assert class_of(Fraction("7.001")) == "high"


@pytest.mark.thorough
def test_unstable_means_that_one_step_of_one_rating_changes_the_class() -> None:
    # 8, 8 → 8 is high; 8, 9 leaves only the ratings round the median: 1 is low.
    assert consolidate([1, 1, 1, 8, 8]).unstable
    assert not consolidate([5, 5, 5, 5, 5]).unstable
    assert not consolidate([10, 10], 3).unstable
    expected = {
        ratings: any(
            _class([*ratings[:place], rating + step, *ratings[place + 1 :]]) != _class(list(ratings))
            for place, rating in enumerate(ratings)
            for step in (-1, 1)
            if 1 <= rating + step <= 10
        )
        for ratings in FIVES
    }
    assert {ratings: consolidate(ratings).unstable for ratings in FIVES} == expected


def _class(ratings: list[int | None]) -> str:
    _, score = reference(ratings)
    assert score is not None
    return "low" if score < 3 else "high" if score > 7 else "middle"


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

"""Resampling of an image's raters: against a straight enumeration, and what it says where nothing varies."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.realism.consolidation import consolidate
from scoring.realism.reliability import Reliability, reliability_of

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


def test_the_numbers_of_two_images() -> None:
    # One outlier against four equal votes: all resamples without the outlier, or with it once, stay high.
    assert reliability_of([1, 9, 9, 9, 9]) == Reliability(Fraction(1), Fraction(9), Fraction(181, 3125))
    assert reliability_of([7, 8, 9, 9, 10]) == Reliability(Fraction(7), Fraction(10), Fraction(151, 3125))


def test_equal_ratings_leave_nothing_open() -> None:
    assert reliability_of([9, 9, 9, 9, 9]) == Reliability(Fraction(9), Fraction(9), Fraction(0))


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


@given(st.lists(st.integers(1, 10), min_size=3, max_size=6), st.integers(0, 2))
@settings(max_examples=60, deadline=None)
def test_limits_are_ordered_scores_and_changes_a_share(ratings: list[int], invalid: int) -> None:
    found = reliability_of(ratings, invalid)
    assert found is not None
    assert 1 <= found.low <= found.high <= 10
    assert 0 <= found.changes < 1

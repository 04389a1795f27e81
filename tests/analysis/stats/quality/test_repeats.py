"""Intra-rater alpha and the mean shift of repeats."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from analysis.stats.quality.records import RepeatRecord
from analysis.stats.quality.repeats import intra
from scoring.anatomy.protocol import ANATOMY
from scoring.presence.protocol import PRESENCE

WORKED = ((1.1, 0.9), (0.2, 0.2), (2.4, 2.0), (0.0, 0.5), (3.1, 3.3))


def records(
    pairs: tuple[tuple[float, float], ...], days: float = 2.0, between: int = 40
) -> list[RepeatRecord]:
    return [
        RepeatRecord(place, place, first, again, days, between) for place, (first, again) in enumerate(pairs)
    ]


def test_the_worked_alpha() -> None:
    found = intra(records(WORKED), ANATOMY.headline)
    assert found.alpha["value"] == pytest.approx(0.968138, abs=5e-7)
    assert found.alpha["low"] is not None
    assert found.alpha["low"] < 0.968138 < (found.alpha["high"] or 0)
    assert (found.pairs, found.short) == (5, 0)


def test_the_shift_is_that_of_scipy() -> None:
    found = intra(records(WORKED), ANATOMY.headline).shift
    moved = np.array([again - first for first, again in WORKED])
    low, high = stats.ttest_1samp(moved, 0).confidence_interval(0.95)
    assert (found["value"], found["low"], found["high"]) == pytest.approx((moved.mean(), low, high))


def test_below_five_pairs_there_are_no_numbers() -> None:
    found = intra(records(WORKED[:4]), ANATOMY.headline)
    assert (found.alpha["value"], found.shift["value"]) == (None, None)
    assert found.alpha["refused"] == found.shift["refused"] == "too few: 4 images"
    assert not found.is_unstable


def test_counts_are_compared_at_their_own_level() -> None:
    found = intra(records(((1, 1), (0, 0), (3, 2), (5, 5), (2, 2))), PRESENCE.headline)
    assert found.alpha["value"] is not None
    assert 0.8 < found.alpha["value"] < 1


def test_random_repeats_are_unstable_and_ten_pairs_are_needed() -> None:
    rng = np.random.default_rng(3)
    first, again = rng.gamma(2, 1, 40), rng.gamma(2, 1, 40)
    pairs = tuple(zip(first.tolist(), again.tolist(), strict=True))
    assert intra(records(pairs), ANATOMY.headline).is_unstable
    assert not intra(records(pairs[:9]), ANATOMY.headline).is_unstable


@pytest.mark.parametrize(("days", "between", "short"), [(0.5, 40, 5), (2, 29, 5), (1, 30, 0)])
def test_short_gaps_are_counted(days: float, between: int, short: int) -> None:
    assert intra(records(WORKED, days, between), ANATOMY.headline).short == short

"""Means and quantiles of groups: Student's interval, cut at what is possible, and bands of severity."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from analysis.stats.bands import UNKNOWN, certain_bands, group_quantiles, severity_bands
from analysis.stats.estimates import FROM_ZERO, TOO_WIDE
from analysis.stats.means import grouped, mean_estimates


def of(values: list[float], within: tuple[float, float]) -> dict[str, object]:
    found = grouped(np.array(values), np.zeros(len(values), dtype=np.int64), 1)
    (one,) = mean_estimates(found, np.array([2]), within)
    return dict(one)


def test_the_interval_of_an_amount_does_not_go_below_0() -> None:
    values = [0.0, 0.0, 0.1, 1.0]
    low, high = stats.t.interval(0.95, 3, loc=np.mean(values), scale=stats.sem(values))
    assert low < 0
    found = of(values, FROM_ZERO)
    assert found["low"] == 0.0
    assert found["high"] == pytest.approx(high)


def test_an_interval_of_everything_is_none() -> None:
    found = of([1.0, 25.0], (0.0, 25.0))
    assert (found["value"], found["low"], found["high"], found["refused"]) == (13.0, None, None, TOO_WIDE)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("quantile", [0.5, 0.75])
def test_quantiles_equal_numpys_to_the_last_bit(seed: int, quantile: float) -> None:
    rng = np.random.default_rng(seed)
    groups = np.concatenate([np.arange(9), rng.integers(0, 9, 120)])
    values = np.round(rng.exponential(1.3, len(groups)), rng.integers(1, 17))
    expected = [np.quantile(values[groups == group], quantile) for group in range(9)]
    assert group_quantiles(values, groups, quantile).tolist() == expected


def test_the_bounds_belong_to_the_lower_band() -> None:
    values = np.array([0.0, 1.0, 2.0, 3.0, 4.0])
    assert severity_bands(values, np.zeros(5, dtype=np.int64)).tolist() == [0, 0, 0, 1, 2]


def test_few_scores_make_no_bands() -> None:
    """Seven scores are too few; the eight of the other annotator are banded among themselves."""
    groups = np.array([0] * 7 + [1] * 8)
    bands, sizes = certain_bands(np.arange(15.0), groups)
    assert bands.tolist() == [UNKNOWN] * 7 + [0, 0, 0, 0, 1, 1, 2, 2]
    assert sizes.tolist() == [7] * 7 + [8] * 8

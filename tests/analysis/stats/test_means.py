"""Means of groups: Student's interval, cut at what is possible."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from analysis.stats.estimates import FROM_ZERO, TOO_WIDE
from analysis.stats.means import grouped, mean_estimates
from scoring.service import PROTOCOLS


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


def test_inside_the_range_nothing_changes() -> None:
    values = [1.0, 2.0, 3.0]
    low, high = stats.t.interval(0.95, 2, loc=2.0, scale=stats.sem(values))
    found = of(values, (-10.0, 10.0))
    assert (found["low"], found["high"]) == (pytest.approx(low), pytest.approx(high))


def test_the_range_of_each_headline() -> None:
    ranges = {slug: PROTOCOLS[slug].headline.range for slug in ("anatomy", "presence", "realism")}
    assert ranges == {"anatomy": FROM_ZERO, "presence": (0, 25), "realism": (1, 10)}

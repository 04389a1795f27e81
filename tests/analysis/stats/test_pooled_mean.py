"""The mean over all images, from the groups of a report."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from analysis.stats.pooled_mean import pooled_mean


def test_grouping_changes_nothing() -> None:
    values = np.random.default_rng(3).gamma(2, 0.4, 60)
    parts = [values[:7], values[7:30], values[30:]]
    found = pooled_mean((len(part), part.mean(), part.var(ddof=1)) for part in parts)
    low, high = stats.t.interval(0.95, 59, values.mean(), stats.sem(values))
    assert found == pytest.approx((60, values.mean(), low, high))


def test_a_group_of_one_counts() -> None:
    found = pooled_mean([(1, 2.0, 0.0), (1, 4.0, 0.0), (0, 0.0, 0.0)])
    assert found is not None
    assert found[:2] == (2, 3.0)


def test_one_image_has_no_interval() -> None:
    assert pooled_mean([(1, 2.0, 0.0)]) is None

"""Welch's test and Holm's correction, held against scipy and R."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from analysis.stats.comparison.holm import holm
from analysis.stats.comparison.welch import Sample, welch_of, welch_test
from analysis.stats.estimates import ANY, TOO_WIDE
from analysis.stats.frames import Floats
from analysis.stats.means import grouped


def sample(values: Floats) -> Sample:
    return Sample(len(values), float(values.mean()), float(values.var(ddof=1)))


@pytest.mark.parametrize("seed", range(5))
def test_welch_and_its_interval_equal_scipy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = rng.gamma(1, 1, 5 + seed), rng.gamma(2, 3, 40)
    expected = stats.ttest_ind(a, b, equal_var=False)
    found = welch_test(sample(a), sample(b))
    low, high = expected.confidence_interval(0.95)
    assert (found["t"], found["df"], found["p"]) == pytest.approx(
        (expected.statistic, expected.df, expected.pvalue), rel=1e-12
    )
    assert (found["difference"]["low"], found["difference"]["high"]) == pytest.approx((low, high), rel=1e-12)
    assert found["difference"]["value"] == pytest.approx(a.mean() - b.mean())


def test_welch_of_the_sleep_data_equals_r() -> None:
    """`t.test(extra ~ group, data = sleep)` in R: t = -1.8608, df = 17.776, p-value = 0.07939."""
    first = np.array([0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0])
    second = np.array([1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4])
    found = welch_test(sample(first), sample(second))
    assert (round(found["t"], 4), round(found["df"], 3), round(found["p"], 5)) == (-1.8608, 17.776, 0.07939)
    # R's 95 percent confidence interval: -3.3654832 0.2054832
    assert found["difference"]["low"] == pytest.approx(-3.3654832, abs=1e-7)
    assert found["difference"]["high"] == pytest.approx(0.2054832, abs=1e-7)


def test_holm_equals_r() -> None:
    """`p.adjust(c(0.01, 0.02, 0.03, 0.04), "holm")` in R: 0.04 0.06 0.06 0.06."""
    assert holm([0.03, None, 0.01, 0.04, 0.02]) == [
        pytest.approx(0.06),
        None,
        pytest.approx(0.04),
        pytest.approx(0.06),
        pytest.approx(0.06),
    ]
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


def test_a_difference_that_may_be_anything_has_no_interval_but_a_p() -> None:
    """Two scores of a scale from 1 to 10 on each side: the interval would be wider than the scale."""
    values, codes = np.array([1.0, 9.0, 2.0, 8.0]), np.array([0, 0, 1, 1])
    (found,) = welch_of(["a", "b"], grouped(values, codes, 2), (1.0, 10.0))
    difference = found["difference"]
    assert (difference["value"], difference["low"], difference["refused"]) == (0, None, TOO_WIDE)
    assert (found["p"], found["p_holm"]) == (1, 1)
    (whole,) = welch_of(["a", "b"], grouped(values, codes, 2), ANY)
    assert whole["difference"]["high"] > 9

"""Intervals of shares and means; the expected numbers are those of R and SciPy."""

from __future__ import annotations

from fractions import Fraction

import pytest
from scipy import stats

from scoring.parametric_intervals import beta_probability, clopper_pearson, mean_interval, student_quantile


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [
        # R: binom.test(8, 10)$conf.int and binom.test(16, 20)$conf.int
        (8, 10, 0.4439045, 0.9747893),
        (16, 20, 0.5633860, 0.9426660),
        # R: binom.test(0, 12)$conf.int: the upper limit is 1 - 0.025^(1/12)
        (0, 12, 0.0, 0.2646485),
        (12, 12, 0.7353515, 1.0),
    ],
)
def test_the_interval_of_a_share_is_that_of_binom_test(
    successes: int, trials: int, low: float, high: float
) -> None:
    assert clopper_pearson(successes, trials) == pytest.approx((low, high), abs=5e-8)


@pytest.mark.parametrize("trials", [1, 2, 7, 25, 180, 750])
def test_every_share_agrees_with_scipy(trials: int) -> None:
    for successes in range(0, trials + 1, max(1, trials // 20)):
        exact = stats.binomtest(successes, trials).proportion_ci(method="exact")
        assert clopper_pearson(successes, trials) == pytest.approx((exact.low, exact.high), abs=1e-11)


@pytest.mark.parametrize(("successes", "trials"), [(-1, 5), (6, 5)])
def test_what_is_no_share_is_refused(successes: int, trials: int) -> None:
    with pytest.raises(ValueError, match="is not a share"):
        clopper_pearson(successes, trials)


def test_without_trials_there_is_no_interval() -> None:
    assert clopper_pearson(0, 0) is None


@pytest.mark.parametrize("freedom", [1, 2, 3, 9, 19, 29, 400])
def test_quantiles_of_student_agree_with_scipy(freedom: int) -> None:
    assert student_quantile(0.95, freedom) == pytest.approx(stats.t.ppf(0.975, freedom), rel=1e-10)


def test_the_interval_of_a_mean_is_that_of_t_test() -> None:
    values = [Fraction(1, 20), Fraction(1, 10), Fraction(1, 5), Fraction(2, 5)]
    found = stats.ttest_1samp([float(value) for value in values], 0).confidence_interval(0.95)
    assert mean_interval(values) == pytest.approx((found.low, found.high), rel=1e-12)
    assert mean_interval(values[:1]) is None


@pytest.mark.parametrize(("x", "expected"), [(-0.1, 0.0), (0.0, 0.0), (1.0, 1.0), (1.5, 1.0)])
def test_the_beta_distribution_ends_at_0_and_1(x: float, expected: float) -> None:
    assert beta_probability(x, 2, 3) == expected

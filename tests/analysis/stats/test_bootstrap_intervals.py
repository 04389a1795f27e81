"""Resampling against recomputation, textbook intervals and a simulation of coverage."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from analysis.stats import bootstrap_intervals
from analysis.stats.bootstrap_intervals import (
    BLOCKS,
    BOOTSTRAP,
    JACKKNIFE,
    NEVER_VARIES,
    blocked,
    effective_df,
    estimated,
    expanded_tail,
    in_blocks,
    intervals,
    left_out,
)
from analysis.stats.frames import Floats
from analysis.stats.rank_correlation import spearman


def mean(totals: Floats) -> Floats:
    return np.asarray(totals[..., 1:] / totals[..., :1])


def rows_of(values: Floats) -> Floats:
    return np.column_stack([np.ones(len(values)), values])


def test_the_jackknife_of_a_mean_is_students_interval() -> None:
    values = np.random.default_rng(3).exponential(size=6)
    found = intervals(rows_of(values), mean)
    reach = stats.t.ppf(0.975, 5) * stats.sem(values)
    assert found.method == JACKKNIFE
    assert found.low[0] == pytest.approx(values.mean() - reach)
    assert found.high[0] == pytest.approx(values.mean() + reach)


def test_the_bootstrap_is_the_bca_interval_of_scipy() -> None:
    """At the percentiles that suit these values: scipy is asked for a level that has them."""
    values = np.random.default_rng(4).exponential(size=60)
    found = intervals(rows_of(values), mean)
    (df,) = effective_df(left_out(rows_of(values), mean))
    expected = stats.bootstrap(
        (values,),
        np.mean,
        method="BCa",
        confidence_level=1 - 2 * expanded_tail(60, df),
        n_resamples=20_000,
        rng=5,
    )
    assert found.method == BOOTSTRAP
    assert found.low[0] == pytest.approx(expected.confidence_interval.low, abs=0.035)
    assert found.high[0] == pytest.approx(expected.confidence_interval.high, abs=0.035)


def test_shares_and_acceleration_are_those_of_efron() -> None:
    """Efron and Tibshirani (1993), table 14.2: z0 = 0.146 and a = 0.061 give 0.110 and 0.985 for 90%."""
    ordered = np.arange(2000.0)
    value = 2000 * stats.norm.cdf(0.146) - 0.5
    found = bootstrap_intervals._shares(ordered, float(value), 0.05, 0.061)
    assert found == pytest.approx((0.110, 0.985), abs=6e-4)
    # The 26 spatial test data, from which the acceleration of their variance is 0.061 (table 14.1).
    data = "48 36 20 29 42 42 20 42 22 41 45 14 6 0 33 28 34 4 32 24 47 41 24 26 30 41"
    values = np.array(data.split(), dtype=np.float64)
    without = np.array([np.delete(values, place).var() for place in range(26)])[:, None]
    assert bootstrap_intervals._accelerations(without)[0] == pytest.approx(0.061, abs=5e-4)


def test_degrees_of_freedom_follow_from_the_kurtosis() -> None:
    rng = np.random.default_rng(9)
    values = rng.exponential(size=50)
    (df,) = effective_df(left_out(rows_of(values), mean))
    kurtosis = stats.kurtosis(values, fisher=False)
    assert df == pytest.approx(100 / (kurtosis - 47 / 49))
    normal = np.asarray(stats.norm.ppf((np.arange(1000) + 0.5) / 1000), dtype=np.float64)
    assert effective_df(left_out(rows_of(normal), mean))[0] == pytest.approx(999, rel=0.03)
    # All but one are equal: the number rests on that one.
    assert effective_df(left_out(rows_of(np.eye(40)[0]), mean))[0] == pytest.approx(2, abs=0.2)
    # Two values, equally often: their variance is nearly certain, and no more than n - 1 is claimed.
    assert effective_df(left_out(rows_of((np.arange(40) % 2).astype(np.float64)), mean))[0] == 39
    assert effective_df(np.zeros((40, 1)))[0] == 39


def test_the_percentiles_of_small_samples_lie_further_out() -> None:
    """Hesterberg (2015): fewer values, further out; without end, the 2.5% of a plain percentile."""
    # Φ(√(n/(n−1)) · t): worked out by hand from tables of Student's t.
    by_hand = {5: (1.25**0.5, -2.776), 10: ((10 / 9) ** 0.5, -2.262), 40: ((40 / 39) ** 0.5, -2.023)}
    for units, (wider, quantile) in by_hand.items():
        assert expanded_tail(units) == pytest.approx(stats.norm.cdf(wider * quantile), rel=2e-3)
    assert expanded_tail(10**7) == pytest.approx(0.025, rel=1e-5)


def test_many_images_are_resampled_in_blocks() -> None:
    values = np.random.default_rng(6).normal(3.0, 2.0, size=20_007)
    rows = rows_of(values)
    sums = blocked(rows)
    assert sums.shape == (BLOCKS, 2)
    assert set(np.bincount(in_blocks(len(values)))) == {40, 41}
    by_hand = np.bincount(in_blocks(len(values)), values)
    assert sums[:, 1] == pytest.approx(by_hand)
    found = intervals(rows, mean)
    reach = 1.96 * stats.sem(values)
    assert found.high[0] - found.low[0] == pytest.approx(2 * reach, rel=0.08)
    assert found.low[0] < values.mean() < found.high[0]


def test_few_images_are_refused() -> None:
    (found,) = estimated(rows_of(np.arange(3.0)), mean, n_coders=2, undefined="")
    nothing = dict.fromkeys(("value", "low", "high"))
    about = {"n_units": 3, "n_coders": 2, "method": "none", "refused": "too few: 3 of 5 images"}
    assert found == nothing | about


@pytest.mark.parametrize("images", [5, 30])
def test_what_never_varies_has_a_value_and_no_interval(images: int) -> None:
    (found,) = estimated(rows_of(np.full(images, 0.1)), mean, n_coders=1, undefined="")
    assert found["value"] == pytest.approx(0.1)
    assert (found["low"], found["high"]) == (None, None)
    assert found["refused"] == NEVER_VARIES


def ratio(totals: Floats) -> Floats:
    with np.errstate(all="ignore"):
        return np.where(totals[..., :1] > 0, totals[..., 1:] / totals[..., :1], np.nan)


@pytest.mark.parametrize(
    ("images", "reason"),
    [(6, "it depends on a single image"), (40, "too many resamples of the images have no value")],
)
def test_what_hangs_on_one_image_has_no_interval(images: int, reason: str) -> None:
    rows = np.zeros((images, 2))
    rows[0] = (2, 1)
    (found,) = estimated(rows, ratio, n_coders=1, undefined="nothing there")
    assert (found["value"], found["refused"]) == (0.5, reason)
    (nothing,) = estimated(0 * rows, ratio, n_coders=1, undefined="nothing there")
    assert (nothing["value"], nothing["refused"]) == (None, "nothing there")


def limits_of_other_resamples(
    rows: Floats, monkeypatch: pytest.MonkeyPatch, runs: int
) -> list[tuple[float, float, float]]:
    """Limits of the same rows from resamples of other seeds, and the error each run states."""
    found = []
    for seed in range(runs):
        drawn = np.random.default_rng(seed).multinomial(len(rows), np.full(len(rows), 1 / len(rows)), 2000)
        monkeypatch.setattr(bootstrap_intervals, "_weightings", lambda _, drawn=drawn: drawn.astype(float))
        made = intervals(rows, mean)
        found.append((float(made.low[0]), float(made.high[0]), made.errors[0]))
    return found


@pytest.mark.parametrize("images", [15, 60])
@pytest.mark.few(1)
def test_the_monte_carlo_error_is_how_much_limits_vary_between_seeds(
    images: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = rows_of(np.random.default_rng(2).gamma(1.0, size=images))
    low, high, errors = np.array(limits_of_other_resamples(rows, monkeypatch, 120)).T
    assert np.median(errors) == pytest.approx(max(low.std(ddof=1), high.std(ddof=1)), rel=0.3)


def test_limits_less_certain_than_the_second_decimal_have_one() -> None:
    values = np.random.default_rng(2).gamma(1.0, size=60)
    wide, narrow = (
        estimated(rows_of(values * scale), mean, n_coders=2, undefined="nothing")[0] for scale in (1.0, 0.01)
    )
    assert wide["places"] == 1
    assert "places" not in narrow


def related(n: int, noise: float, seed: int = 7) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(seed)
    first = np.round(rng.gamma(1.0, 2.0, n), 1)
    return first, np.round(first + rng.normal(0, noise, n))


@pytest.mark.parametrize("n", [7, 700])
def test_rho_is_that_of_scipy(n: int) -> None:
    first, second = related(n, 2.0)
    found = spearman(first, second, n_coders=2)
    assert found["value"] == pytest.approx(stats.spearmanr(first, second).statistic, abs=1e-12)
    assert found["n_units"] == n


@pytest.mark.parametrize("n", [400, 4000])
def test_the_interval_covers_like_fishers(n: int) -> None:
    """Of the widths known for normal values (Bonett and Wright, 2000), within a fifth."""
    rng = np.random.default_rng(3)
    first = rng.normal(size=n)
    found = spearman(first, first + rng.normal(size=n), n_coders=2)
    value, low, high = found["value"] or 0, found["low"] or 0, found["high"] or 0
    half = 1.96 * np.sqrt((1 + value**2 / 2) / (n - 3))
    expected = np.tanh(np.arctanh(value) + np.array([-half, half]))
    assert low < value < high
    assert high - low == pytest.approx(expected[1] - expected[0], rel=0.2)


def test_few_images_equal_values_and_perfect_order_are_refused() -> None:
    assert spearman(np.arange(6.0), np.arange(6.0), 1)["refused"] == "too few: 6 of 7 images"
    assert spearman(np.zeros(9), np.arange(9.0), 1)["refused"] == "all values are equal"
    same = spearman(np.arange(9.0), np.arange(9.0), 1)
    assert (same["value"], same["low"], same["refused"]) == (1.0, None, NEVER_VARIES)


def test_the_last_bits_of_equal_means_break_no_tie() -> None:
    """(0.1 + 0.2) / 2 is not 0.15, and 0.3 / 2 is: whoever averages them ties the images."""
    exact = np.array([15.0, 15, 40, 40, 5, 90, 60, 60])
    noisy = np.array([(0.1 + 0.2) / 2, 0.15, 0.4, 0.1 + 0.3, 0.05, 0.9, 0.6, 0.1 + 0.2 + 0.3])
    assert len(np.unique(noisy)) > len(np.unique(exact))
    other = np.array([1.0, 2, 3, 4, 5, 6, 7, 8])
    assert spearman(noisy, other, 2) == spearman(exact, other, 2)
    expected = stats.spearmanr(exact, other).statistic
    assert spearman(noisy, other, 2)["value"] == pytest.approx(expected, abs=1e-12)

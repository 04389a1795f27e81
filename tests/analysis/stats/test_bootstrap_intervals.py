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
    replicates,
)
from analysis.stats.frames import Floats
from analysis.stats.generic.alphas import alpha_from
from tests.analysis.stats.conftest import summed


def mean(totals: Floats) -> Floats:
    return np.asarray(totals[..., 1:] / totals[..., :1])


def rows_of(values: Floats) -> Floats:
    return np.column_stack([np.ones(len(values)), values])


def alphas(totals: Floats) -> Floats:
    return alpha_from(totals)[..., None]


def judged_twice(rng: np.random.Generator, images: int, noise: float) -> Floats:
    """Unit statistics of images that two annotators judged; alpha is 1 / (1 + noise²) in the long run."""
    truth = rng.normal(size=images)
    scores = [truth + noise * rng.normal(size=images) for _ in range(2)]
    return summed(np.concatenate(scores), np.tile(np.arange(images), 2))


def test_replicates_equal_recomputation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap_intervals, "REPLICATES", 50)
    bootstrap_intervals._weightings.cache_clear()
    rng = np.random.default_rng(1)
    images = np.repeat(np.arange(12), rng.integers(2, 5, 12))
    values = rng.exponential(size=len(images))
    found = replicates(summed(values, images), alphas)[:, 0]
    weightings = bootstrap_intervals._weightings(12)
    bootstrap_intervals._weightings.cache_clear()
    assert weightings.sum(axis=1).tolist() == [12.0] * 50
    for weighting, value in zip(weightings.astype(int), found, strict=True):
        drawn = np.repeat(np.arange(12), weighting)
        rows = [np.flatnonzero(images == image) for image in drawn]
        again = np.repeat(np.arange(len(rows)), [len(part) for part in rows])
        expected = float(alpha_from(summed(values[np.concatenate(rows)], again).sum(axis=0)))
        assert value == pytest.approx(expected, abs=1e-12)


def test_leaving_out_equals_recomputation() -> None:
    rng = np.random.default_rng(2)
    values, images = rng.normal(size=20), np.tile(np.arange(10), 2)
    found = left_out(summed(values, images), alphas)[:, 0]
    for image in range(10):
        kept = images != image
        expected = float(alpha_from(summed(values[kept], images[kept]).sum(axis=0)))
        assert found[image] == pytest.approx(expected, abs=1e-12)


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
    data = [
        48,
        36,
        20,
        29,
        42,
        42,
        20,
        42,
        22,
        41,
        45,
        14,
        6,
        0,
        33,
        28,
        34,
        4,
        32,
        24,
        47,
        41,
        24,
        26,
        30,
        41,
    ]
    values = np.array(data, dtype=np.float64)
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


@pytest.mark.parametrize("images", [10, 25])
def test_of_normal_values_the_bootstrap_of_a_mean_is_students_interval(images: int) -> None:
    values = stats.norm.ppf((np.arange(images) + 0.5) / images)
    found = intervals(rows_of(values), mean)
    reach = stats.t.ppf(0.975, images - 1) * stats.sem(values)
    assert found.method == BOOTSTRAP
    assert (found.low[0], found.high[0]) == pytest.approx((-reach, reach), rel=0.08)


def test_the_same_rows_have_the_same_interval_for_ever() -> None:
    rows = rows_of(np.arange(30.0))
    first, second = intervals(rows, mean), intervals(rows, mean)
    assert (first.low.tolist(), first.high.tolist()) == (second.low.tolist(), second.high.tolist())


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
    assert found == {
        "value": None,
        "low": None,
        "high": None,
        "n_units": 3,
        "n_coders": 2,
        "method": "none",
        "refused": "too few: 3 images",
    }


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
    [
        (6, "it depends on a single image"),
        (40, "too many resamples of the images have no value"),
    ],
)
def test_what_hangs_on_one_image_has_no_interval(images: int, reason: str) -> None:
    rows = np.zeros((images, 2))
    rows[0] = (2, 1)
    (found,) = estimated(rows, ratio, n_coders=1, undefined="nothing there")
    assert (found["value"], found["refused"]) == (0.5, reason)
    (nothing,) = estimated(0 * rows, ratio, n_coders=1, undefined="nothing there")
    assert (nothing["value"], nothing["refused"]) == (None, "nothing there")


TRUE_ALPHA = 1 / (1 + 0.7**2)


def held(seed: int, images: int, runs: int) -> float:
    """In what share of studies the interval of alpha holds the one they were drawn with."""
    rng = np.random.default_rng(seed)
    limits = [intervals(judged_twice(rng, images, 0.7), alphas, highest=1.0) for _ in range(runs)]
    return float(np.mean([found.low[0] <= TRUE_ALPHA <= found.high[0] for found in limits]))


@pytest.mark.parametrize(
    ("images", "expected"), [(10, 0.955), (20, 0.95), (40, 0.95), (60, 0.95), (200, 0.95)]
)
@pytest.mark.few(1)
def test_intervals_cover_alpha_at_the_nominal_rate(images: int, expected: float) -> None:
    """Of normal scores: give or take three standard errors of 600 studies."""
    assert held(images, images, 600) == pytest.approx(expected, abs=0.027)


def test_no_limit_lies_above_what_is_possible() -> None:
    rows = judged_twice(np.random.default_rng(8), 6, 0.3)
    assert intervals(rows, alphas, highest=1.0).high[0] <= 1.0


def test_a_share_stays_between_none_and_all() -> None:
    shares = rows_of(np.array([1, 1, 1, 1, 0.4]))
    open_ended = intervals(shares, mean)
    reach = stats.t.ppf(0.975, 4) * 0.12
    assert (open_ended.low[0], open_ended.high[0]) == pytest.approx((0.88 - reach, 0.88 + reach))
    assert 0.88 + reach > 1
    ended = intervals(shares, mean, lowest=0.0, highest=1.0)
    assert (ended.low[0], ended.high[0]) == (open_ended.low[0], 1.0)
    other = intervals(rows_of(1 - np.array([1, 1, 1, 1, 0.4])), mean, lowest=np.zeros(1), highest=np.ones(1))
    assert other.low[0] == 0.0
    assert other.high[0] == pytest.approx(0.12 + reach)

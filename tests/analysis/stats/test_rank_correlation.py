"""Spearman's rho beside scipy's, its interval, and the reasons for having none."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from analysis.stats import rank_correlation
from analysis.stats.bootstrap_intervals import NEVER_VARIES
from analysis.stats.frames import Floats
from analysis.stats.rank_correlation import midranks, ordered_codes, spearman


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


def test_midranks_are_those_of_scipy_with_values_repeated() -> None:
    weights = np.array([2.0, 1.0, 0.0, 3.0])
    repeated = stats.rankdata(np.repeat([0, 1, 1, 2], weights.astype(int)))
    assert midranks(np.array([0, 1, 1, 2]), weights)[[0, 1, 3]].tolist() == [
        repeated[0],
        repeated[2],
        repeated[-1],
    ]


@pytest.mark.parametrize("n", [400, 4000])
def test_the_interval_covers_like_fishers(n: int) -> None:
    """Of the widths known for normal values (Bonett and Wright, 2000), within a fifth."""
    rng = np.random.default_rng(3)
    first = rng.normal(size=n)
    found = spearman(first, first + rng.normal(size=n), n_coders=2)
    value, low, high = (float(found[end] or 0) for end in ("value", "low", "high"))
    half = 1.96 * np.sqrt((1 + value**2 / 2) / (n - 3))
    expected = np.tanh(np.arctanh(value) + np.array([-half, half]))
    assert low < value < high
    assert high - low == pytest.approx(expected[1] - expected[0], rel=0.2)


def test_of_many_images_ranks_follow_to_first_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 400 images with ties, ranked anew in every resample, and not."""
    first, second = related(400, 2.0)
    anew = spearman(first, second, n_coders=2)
    monkeypatch.setattr(rank_correlation, "BLOCKS", 399)
    followed = spearman(first, second, n_coders=2)
    assert followed["value"] == pytest.approx(anew["value"], abs=1e-12)
    assert followed["low"] == pytest.approx(anew["low"], abs=0.01)
    assert followed["high"] == pytest.approx(anew["high"], abs=0.01)
    assert followed["low"] != anew["low"]


def test_few_images_equal_values_and_perfect_order_are_refused() -> None:
    assert spearman(np.arange(6.0), np.arange(6.0), 1)["refused"] == "too few: 6 images"
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


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e9])
def test_values_that_differ_stay_apart_on_every_scale(scale: float) -> None:
    values = scale * np.array([1.0, 1.00001, 2, 3])
    assert ordered_codes(values).tolist() == [0, 1, 2, 3]

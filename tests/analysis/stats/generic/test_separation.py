"""η² of two stages beside its definition, and the exact interval of a rate."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from analysis.stats.generic.separation import NOTHING_SEEN, ONE_GENERATOR, rate, separation

CODES = np.repeat([0, 1, 2], 20)
RNG = np.random.default_rng(7)
FIRST = RNG.integers(0, 6, 60).astype(float)
SECOND = FIRST * 0.3 + CODES + RNG.normal(size=60)


def by_definition(values: np.ndarray, codes: np.ndarray) -> float:
    grand = values.mean()
    between = sum(
        (codes == each).sum() * (values[codes == each].mean() - grand) ** 2 for each in np.unique(codes)
    )
    return float(between / ((values - grand) ** 2).sum())


def eta(*how: Any) -> list[Any]:
    return list(separation(*how))


def made_rate(*how: int) -> Any:
    return rate(*how)


def test_it_is_the_share_of_the_variance_between_generators() -> None:
    first, second, gap = eta(FIRST, SECOND, CODES, 4)
    assert first["value"] == pytest.approx(by_definition(FIRST, CODES), abs=1e-12)
    assert second["value"] == pytest.approx(by_definition(SECOND, CODES), abs=1e-12)
    assert gap["value"] == pytest.approx(second["value"] - first["value"], abs=1e-12)
    assert (gap["n_units"], gap["n_coders"], gap["method"]) == (
        60,
        4,
        "expanded BCa bootstrap over images",
    )
    # The F of a one-way analysis of variance is the same ratio, by degrees of freedom.
    f = stats.f_oneway(*(SECOND[each == CODES] for each in range(3))).statistic
    assert second["value"] / (1 - second["value"]) * 57 / 2 == pytest.approx(f, rel=1e-9)


def test_the_difference_is_resampled_on_the_same_images() -> None:
    """Two stages that say the same have a difference of 0 in every resample, though each η² varies."""
    first, _, gap = eta(FIRST, 3 * FIRST + 100, CODES, 4)
    assert first["low"] is not None
    assert (gap["value"], gap["low"]) == (pytest.approx(0, abs=1e-12), None)
    assert gap["refused"] == "every resample of the images gives the same number"


def test_an_offset_or_an_empty_code_changes_nothing() -> None:
    plain = eta(FIRST, SECOND, CODES, 4)
    moved = eta(FIRST + 1e6, SECOND, np.where(CODES == 2, 5, CODES), 4)
    assert [each["value"] for each in moved] == pytest.approx([each["value"] for each in plain], abs=1e-9)


def test_it_finds_the_better_of_two_simulated_stages() -> None:
    (_, _, gap) = eta(FIRST, SECOND, CODES, 4)
    assert gap["low"] is not None
    assert 0 < gap["low"] < gap["value"] < gap["high"] <= 1


@pytest.mark.parametrize(
    ("first", "codes", "reason"),
    [
        (FIRST, np.zeros(60, dtype=np.int64), ONE_GENERATOR),
        (np.ones(60), CODES, "all values are equal"),
        (FIRST[:4], np.array([0, 0, 1, 1]), "too few: 4 images"),
    ],
)
def test_what_cannot_be_told_is_refused_with_the_reason(
    first: np.ndarray, codes: np.ndarray, reason: str
) -> None:
    found = eta(first, SECOND[: len(first)], codes, 2)
    assert (found[0]["value"], found[0]["refused"], found[2]["value"]) == (None, reason, None)


@pytest.mark.parametrize(
    ("found", "of", "low", "high"),
    [
        (0, 10, 0, 0.3084971),
        (1, 10, 0.0025286, 0.4450161),
        (10, 10, 0.6915029, 1),
        (3, 18, 0.0357851, 0.4141775),
    ],
)
def test_a_rate_has_the_exact_interval(found: int, of: int, low: float, high: float) -> None:
    made = made_rate(found, of)
    assert made["value"] == found / of
    assert (made["low"], made["high"]) == (pytest.approx(low, abs=1e-6), pytest.approx(high, abs=1e-6))
    package = stats.binomtest(found, of).proportion_ci(method="exact")
    assert (made["low"], made["high"]) == pytest.approx((package.low, package.high), abs=1e-12)


def test_without_a_control_there_is_no_made_rate() -> None:
    assert made_rate(0, 0)["value"] is None
    assert made_rate(0, 0)["refused"] == NOTHING_SEEN

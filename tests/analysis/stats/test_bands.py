"""Overall severity by quantiles."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.stats.bands import (
    UNKNOWN,
    certain_bands,
    group_quantiles,
    severity_bands,
)


@pytest.mark.parametrize("seed", range(30))
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


def test_each_group_has_its_own_bounds() -> None:
    values = np.array([1.0, 10.0, 2.0, 20.0, 3.0, 30.0, 4.0, 40.0])
    groups = np.array([7, 2] * 4)
    assert severity_bands(values, groups).tolist() == [0, 0, 0, 0, 1, 1, 2, 2]


def test_equal_scores_are_all_low() -> None:
    assert severity_bands(np.full(4, 0.3), np.zeros(4, dtype=np.int64)).tolist() == [0, 0, 0, 0]


def test_nothing() -> None:
    assert severity_bands(np.zeros(0), np.zeros(0, dtype=np.int64)).tolist() == []


def test_few_scores_make_no_bands() -> None:
    """Seven scores are too few; the eight of the other annotator are banded among themselves."""
    groups = np.array([0] * 7 + [1] * 8)
    bands, sizes = certain_bands(np.arange(15.0), groups)
    assert bands.tolist() == [UNKNOWN] * 7 + [0, 0, 0, 0, 1, 1, 2, 2]
    assert sizes.tolist() == [7] * 7 + [8] * 8

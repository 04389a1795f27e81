"""Alpha against the `krippendorff` library, the published example and what must not change it."""

from __future__ import annotations

from typing import Any, Literal

import krippendorff
import numpy as np
import pytest

from analysis.stats.alpha import Alpha, alpha_from, binary_alpha, counted_alpha, interval_alpha, unit_stats

# Four coders, twelve units: Krippendorff (2011), section "any number of observers, missing data".
TEXTBOOK = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, np.nan, np.nan, np.nan],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, np.nan, 3],
    [np.nan, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, np.nan],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, np.nan],
]
# Two coders, three with gaps, fifteen units: the worked example whose interval alpha is 0.811.
GAPS = [
    [np.nan, np.nan, np.nan, np.nan, np.nan, 3, 4, 1, 2, 1, 1, 3, 3, np.nan, 3],
    [1, np.nan, 2, 1, 3, 3, 4, 3, np.nan, np.nan, np.nan, np.nan, np.nan, np.nan, np.nan],
    [np.nan, np.nan, 2, 1, 3, 4, 4, np.nan, 2, 1, 1, 3, 3, np.nan, 4],
]


def long(table: Any) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Values and units of a coders x units table with NaN for gaps."""
    array = np.asarray(table, dtype=float)
    coders, units = np.nonzero(~np.isnan(array))
    return array[coders, units], units


def counted(table: Any, levels: int, first: int = 1) -> np.ndarray[Any, Any]:
    """(units, levels) counts of a table of the whole numbers from `first` on."""
    array = np.asarray(table, dtype=float)
    return np.stack([(array == first + level).sum(axis=0) for level in range(levels)], axis=1)


def random_table(seed: int) -> np.ndarray[Any, Any]:
    rng = np.random.default_rng(seed)
    table = np.round(rng.normal(rng.normal(0, 50), 1 + seed, (4, 25)), 1)
    table[rng.random(table.shape) < 0.3] = np.nan
    return table


@pytest.mark.parametrize("seed", range(40))
def test_interval_alpha_equals_the_library(seed: int) -> None:
    table = random_table(seed)
    expected = krippendorff.alpha(reliability_data=table, level_of_measurement="interval")
    assert interval_alpha(*long(table)).alpha == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", range(40))
def test_binary_nominal_alpha_is_the_interval_closed_form(seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = (rng.random((4, 25)) < 0.3).astype(float)
    table[rng.random(table.shape) < 0.3] = np.nan
    values, units = long(table)
    expected = krippendorff.alpha(reliability_data=table, level_of_measurement="nominal")
    assert interval_alpha(values, units).alpha == pytest.approx(expected, abs=1e-12)
    assert counted_alpha(counted(table, 2, first=0), "nominal").alpha == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("level", ["nominal", "ordinal"])
@pytest.mark.parametrize("seed", range(40))
def test_counts_give_the_alpha_of_the_table(seed: int, level: Literal["nominal", "ordinal"]) -> None:
    rng = np.random.default_rng(seed)
    table = rng.integers(1, 4, (4, 25)).astype(float)
    table[rng.random(table.shape) < 0.3] = np.nan
    expected = krippendorff.alpha(reliability_data=table, level_of_measurement=level)
    assert counted_alpha(counted(table, 3), level).alpha == pytest.approx(expected, abs=1e-12)


def test_the_textbook_example() -> None:
    found = interval_alpha(*long(GAPS))
    assert found.alpha is not None
    assert round(found.alpha, 3) == 0.811
    assert found.units == 12


def test_the_published_example_at_each_level() -> None:
    levels = {
        "nominal": counted_alpha(counted(TEXTBOOK, 5), "nominal"),
        "ordinal": counted_alpha(counted(TEXTBOOK, 5), "ordinal"),
        "interval": interval_alpha(*long(TEXTBOOK)),
    }
    rounded = {level: round(found.alpha or 0, 3) for level, found in levels.items()}
    assert rounded == {"nominal": 0.743, "ordinal": 0.815, "interval": 0.849}


@pytest.mark.parametrize("offset", [1e3, 1e7, -1e7])
def test_an_offset_changes_nothing(offset: float) -> None:
    values, units = long(random_table(3))
    moved = interval_alpha(values + offset, units).alpha
    assert moved == pytest.approx(interval_alpha(values, units).alpha, abs=1e-7)


def test_totals_of_units_add_up_to_alpha() -> None:
    values, units = long(random_table(5))
    stats = unit_stats(values, units)
    assert float(alpha_from(stats.sum(axis=0))) == interval_alpha(values, units).alpha
    assert stats.shape == (len(np.unique(units[np.bincount(units)[units] >= 2])), 4)


def test_perfect_agreement_is_exactly_one() -> None:
    assert interval_alpha(np.array([0.1, 0.1, 0.7, 0.7]), np.array([0, 0, 1, 1])).alpha == 1.0


def test_equal_values_have_no_alpha() -> None:
    # Their mean is not 0.1 to the last bit: equality must be seen in the values, not in the sums.
    found = interval_alpha(np.full(6, 0.1), np.array([0, 0, 1, 1, 2, 2]))
    assert found == Alpha(None, 3, "interval", "all values are equal")
    assert counted_alpha(np.array([[2, 0], [2, 0]]), "ordinal").undefined == "all values are equal"
    assert binary_alpha(3, 25, np.array([150.0, 0, 0, 0])).undefined == "all values are equal"


def test_one_pairable_image_has_no_alpha() -> None:
    found = interval_alpha(np.array([1.0, 2.0, 5.0]), np.array([0, 0, 1]))
    assert found == Alpha(None, 1, "interval", "fewer than 2 pairable images")
    assert counted_alpha(np.array([[1, 1], [1, 0]]), "ordinal").units == 1
    assert binary_alpha(1, 25, np.array([50.0, 3, 3, 2])).undefined == "fewer than 2 pairable images"


def test_no_ratings_at_all() -> None:
    nothing = np.zeros(0)
    assert interval_alpha(nothing, nothing.astype(np.int64)).undefined == "fewer than 2 pairable images"
    assert alpha_from(np.zeros((0, 4))).shape == (0,)


def test_json_holds_the_four_keys() -> None:
    assert Alpha(0.5, 7, "ordinal").as_json() == {
        "alpha": 0.5,
        "units": 7,
        "level_of_measurement": "ordinal",
        "undefined": None,
    }

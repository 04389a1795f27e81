"""Alpha against the `krippendorff` library, the published example and what must not change it."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, Literal

import krippendorff
import numpy as np
import pytest

from analysis.stats.generic import alphas
from analysis.stats.generic.alphas import (
    CLOSED_FORM,
    LIBRARY,
    AlphaSums,
    alpha_from,
    alpha_of,
    alpha_of_coincidences,
    coincidences,
)
from scoring.protocol import Variable
from tests.analysis.stats.conftest import summed

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


def interval_alpha(values: Any, units: Any) -> float:
    return float(alpha_from(summed(values, units).sum(axis=0)))


def counted_alpha(counts: np.ndarray[Any, Any], level: Literal["nominal", "ordinal"]) -> float:
    return float(alpha_of_coincidences(coincidences(counts).sum(axis=0), counts.shape[1], level))


def exact_alpha(values: list[Fraction], units: list[int]) -> Fraction:
    """Observed over expected disagreement, pair of values by pair of values, in fractions."""
    of_unit: dict[int, list[Fraction]] = {}
    for value, unit in zip(values, units, strict=True):
        of_unit.setdefault(unit, []).append(value)
    pairable = [found for found in of_unit.values() if len(found) > 1]
    every = [value for found in pairable for value in found]
    observed = sum(
        (Fraction(1, len(found) - 1) * sum((a - b) ** 2 for a in found for b in found) for found in pairable),
        Fraction(0),
    )
    expected = Fraction(1, len(every) - 1) * sum((a - b) ** 2 for a in every for b in every)
    return 1 - observed / expected


@pytest.mark.parametrize("seed", range(40))
def test_interval_alpha_equals_the_library(seed: int) -> None:
    table = random_table(seed)
    expected = krippendorff.alpha(reliability_data=table, level_of_measurement="interval")
    assert interval_alpha(*long(table)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_interval_alpha_is_the_exact_one(seed: int) -> None:
    """Sums of fractions of small denominators, as scores are: in fractions, without any rounding."""
    rng = np.random.default_rng(seed)
    units = rng.integers(0, 12, 40).tolist()
    values = [
        sum((Fraction(int(rng.integers(0, 9)), int(rng.integers(1, 9))) for _ in range(3)), Fraction(0))
        for _ in units
    ]
    expected = float(exact_alpha(values, units))
    assert interval_alpha([float(value) for value in values], units) == pytest.approx(expected, abs=1e-13)


@pytest.mark.parametrize("seed", range(40))
def test_binary_nominal_alpha_is_the_interval_closed_form(seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = (rng.random((4, 25)) < 0.3).astype(float)
    table[rng.random(table.shape) < 0.3] = np.nan
    expected = krippendorff.alpha(reliability_data=table, level_of_measurement="nominal")
    assert interval_alpha(*long(table)) == pytest.approx(expected, abs=1e-12)
    assert counted_alpha(counted(table, 2, first=0), "nominal") == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("level", ["nominal", "ordinal"])
@pytest.mark.parametrize("seed", range(40))
def test_counts_give_the_alpha_of_the_table(seed: int, level: Literal["nominal", "ordinal"]) -> None:
    rng = np.random.default_rng(seed)
    table = rng.integers(1, 4, (4, 25)).astype(float)
    table[rng.random(table.shape) < 0.3] = np.nan
    expected = krippendorff.alpha(reliability_data=table, level_of_measurement=level)
    assert counted_alpha(counted(table, 3), level) == pytest.approx(expected, abs=1e-12)


def test_the_textbook_example() -> None:
    assert round(interval_alpha(*long(GAPS)), 3) == 0.811
    assert len(summed(*long(GAPS))) == 12


def test_the_published_example_at_each_level() -> None:
    levels = {
        "nominal": counted_alpha(counted(TEXTBOOK, 5), "nominal"),
        "ordinal": counted_alpha(counted(TEXTBOOK, 5), "ordinal"),
        "interval": interval_alpha(*long(TEXTBOOK)),
    }
    rounded = {level: round(found, 3) for level, found in levels.items()}
    assert rounded == {"nominal": 0.743, "ordinal": 0.815, "interval": 0.849}


@pytest.mark.parametrize("offset", [1e3, 1e7, -1e7])
def test_an_offset_changes_nothing(offset: float) -> None:
    values, units = long(random_table(3))
    # The values themselves lose digits: at ten million a float has nine behind the point.
    assert interval_alpha(values + offset, units) == pytest.approx(interval_alpha(values, units), abs=1e-7)


def test_perfect_agreement_is_exactly_one() -> None:
    assert interval_alpha([0.1, 0.1, 0.7, 0.7], [0, 0, 1, 1]) == 1.0


def test_equal_values_have_no_alpha() -> None:
    # Their mean is not 0.1 to the last bit: a trace of rounding must not pass for spread.
    assert np.isnan(interval_alpha(np.full(6, 0.1), [0, 0, 1, 1, 2, 2]))
    assert np.isnan(counted_alpha(np.array([[2, 0], [2, 0]]), "ordinal"))
    assert np.isnan(alpha_from([150.0, 0, 0, 0]))


def test_no_ratings_at_all() -> None:
    assert alpha_from(np.zeros((0, 4))).shape == (0,)
    assert np.isnan(alpha_of_coincidences(coincidences(np.zeros((0, 3))).sum(axis=0), 3, "ordinal"))


STARS = Variable("stars", "Stars", "ordinal", "1 to 4", values=(1, 2, 3, 4))
AMOUNT = Variable("amount", "Amount", "interval", "0 or more")
MARKS = Variable("marks", "Marks", "nominal", "0 or 1", components=("a", "b", "c"), values=(0, 1))


def test_limits_count_units_times_values_squared() -> None:
    """Four units of four values, or three of four distinct numbers, are 64 and 48 entries."""
    values, unit = np.array([[1.0], [2], [2], [2], [3], [4], [1], [1]]), np.repeat(np.arange(4), 2)
    table = values.reshape(4, 2).T
    expected = krippendorff.alpha(table, value_domain=[1, 2, 3, 4], level_of_measurement="ordinal")
    found, computed_by = AlphaSums(STARS).point(values, unit, 0.5, 64)
    assert found == pytest.approx(expected, abs=1e-15)
    assert computed_by == LIBRARY
    assert AlphaSums(STARS).point(values, unit, 0.5, 63) == (0.5, CLOSED_FORM)
    numbers = np.array([[1.0], [2.0], [2.0], [4.0], [4.0], [4.5]])
    expected = krippendorff.alpha(numbers.reshape(3, 2).T, level_of_measurement="interval")
    found, computed_by = AlphaSums(AMOUNT).point(numbers, unit[:6], 0.5, 48)
    assert found == pytest.approx(expected, abs=1e-15)
    assert computed_by == LIBRARY
    assert AlphaSums(AMOUNT).point(numbers, unit[:6], 0.5, 47) == (0.5, CLOSED_FORM)


def test_what_has_no_value_is_not_asked_of_the_library() -> None:
    """Of one value it raises ValueError."""
    value, computed_by = AlphaSums(STARS).point(np.ones((4, 1)), np.array([0, 0, 1, 1]), math.nan, 1000)
    assert (math.isnan(value), computed_by) == (True, None)


@pytest.mark.parametrize("variable", [STARS, AMOUNT, MARKS], ids=lambda variable: variable.name)
def test_past_what_is_affordable_the_closed_form_gives_the_same(variable: Variable) -> None:
    rng = np.random.default_rng(7)
    width = len(variable.components) or 1
    values = rng.integers(1, 5, (90, width)) if variable is STARS else rng.integers(0, 2, (90, width))
    unit = np.repeat(np.arange(30), 3)
    whole, small = (alpha_of(values.astype(float), unit, variable, 3, most=most) for most in (10_000, 0))
    assert (whole["computed_by"], small["computed_by"]) == (LIBRARY, CLOSED_FORM)
    assert whole["value"] == pytest.approx(small["value"], abs=1e-12)
    assert (whole["low"], whole["high"]) == (small["low"], small["high"])


def test_counting_part_by_part_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    values, unit = np.random.default_rng(3).integers(0, 2, (70, 3)), np.repeat(np.arange(35), 2)
    whole = AlphaSums(MARKS).rows(values, unit)
    monkeypatch.setattr(alphas, "CHUNK", 4)
    assert (AlphaSums(MARKS).rows(values, unit) == whole).all()

"""Agreement of any protocol against the library, the published example and worked numbers."""

from __future__ import annotations

from typing import Any, Literal

import krippendorff
import numpy as np
import pytest

from analysis.stats.generic.agreement import agreement_of_values as agreement
from analysis.stats.generic.alphas import (
    CLOSED_FORM,
    LIBRARY,
    alpha_from,
    alpha_of,
    alpha_of_coincidences,
    coincidences,
)
from analysis.stats.generic.tables import rows_of
from scoring.protocol import Variable
from tests.analysis.stats.conftest import summed
from tests.analysis.stats.generic.making import presence, stars

# Four annotators, twelve units: Krippendorff (2011), section "any number of observers, missing data".
TEXTBOOK = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, np.nan, np.nan, np.nan],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, np.nan, 3],
    [np.nan, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, np.nan],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, np.nan],
]


def long(table: Any) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Values and units of a annotators x units table with NaN for gaps."""
    array = np.asarray(table, dtype=float)
    annotators, units = np.nonzero(~np.isnan(array))
    return array[annotators, units], units


def counted(table: Any, levels: int, first: int = 1) -> np.ndarray[Any, Any]:
    """(units, levels) counts of a table of the whole numbers from `first` on."""
    array = np.asarray(table, dtype=float)
    return np.stack([(array == first + level).sum(axis=0) for level in range(levels)], axis=1)


def interval_alpha(values: Any, units: Any) -> float:
    return float(alpha_from(summed(values, units).sum(axis=0)))


def counted_alpha(counts: np.ndarray[Any, Any], level: Literal["nominal", "ordinal"]) -> float:
    return float(alpha_of_coincidences(coincidences(counts).sum(axis=0), counts.shape[1], level))


def test_the_published_example_at_each_level() -> None:
    levels = {
        "nominal": counted_alpha(counted(TEXTBOOK, 5), "nominal"),
        "ordinal": counted_alpha(counted(TEXTBOOK, 5), "ordinal"),
        "interval": interval_alpha(*long(TEXTBOOK)),
    }
    rounded = {level: round(found, 3) for level, found in levels.items()}
    assert rounded == {"nominal": 0.743, "ordinal": 0.815, "interval": 0.849}


def test_perfect_agreement_is_exactly_one() -> None:
    assert interval_alpha([0.1, 0.1, 0.7, 0.7], [0, 0, 1, 1]) == 1.0


def test_equal_values_have_no_alpha() -> None:
    # Their mean is not 0.1 to the last bit: a trace of rounding must not pass for spread.
    assert np.isnan(interval_alpha(np.full(6, 0.1), [0, 0, 1, 1, 2, 2]))
    assert np.isnan(counted_alpha(np.array([[2, 0], [2, 0]]), "ordinal"))
    assert np.isnan(alpha_from([150.0, 0, 0, 0]))


STARS = Variable("stars", "Stars", "ordinal", "1 to 4", values=(1, 2, 3, 4))
AMOUNT = Variable("amount", "Amount", "interval", "0 or more")
MARKS = Variable("marks", "Marks", "nominal", "0 or 1", components=("a", "b", "c"), values=(0, 1))


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


WORKED = [
    (1, "A", "extra.limbs extra.hands configuration.face"),
    (1, "B", "extra.limbs configuration.hands"),
    (2, "A", "extra.limbs"),
    (2, "B", "extra.limbs orientation.torso"),
]


def test_alpha_over_cells_moves_with_whole_images() -> None:
    """The worked answers on several pairs of images, which changes no alpha but for N - 1."""
    repeated = [(image + 2 * turn, who, cells) for turn in range(20) for image, who, cells in WORKED]
    marked, present, raw, ac1, positive = rows_of(agreement(presence(repeated)), "agreement")
    alpha = present["pooled"]
    # 40 images of 25 cells, 2 values each: 2,000 values of which 160 are yes, and 80 images' disagreements.
    observed, expected = 80 * 2 / 2000, 2 * 160 * 1840 / (2000 * 1999)
    assert alpha["value"] == pytest.approx(1 - observed / expected, abs=1e-12)
    assert (alpha["n_units"], alpha["n_coders"], alpha["computed_by"]) == (40, 2, "krippendorff")
    assert alpha["low"] < alpha["value"] < alpha["high"]
    assert (marked["level"], present["level"]) == ("ratio", "nominal")
    assert (marked["images"], marked["annotators"], marked["annotations"]) == (40, 2, 80)
    assert present["mean_of_pairs"] == pytest.approx(alpha["value"], abs=1e-12)
    # 160 of 2,000 values are yes; 920 of 1,000 cells agree, and 40 pairs of marks.
    chance = 2 * 0.08 * 0.92
    assert raw["pooled"]["value"] == pytest.approx(0.92)
    assert ac1["pooled"]["value"] == pytest.approx((0.92 - chance) / (1 - chance))
    assert positive["pooled"]["value"] == pytest.approx(2 * 40 / 160)


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
def test_every_level_is_that_of_the_package(
    level: Literal["nominal", "ordinal", "interval", "ratio"],
) -> None:
    counts = np.random.default_rng(5).multinomial(3, [0.4, 0.3, 0.1, 0.2], size=60)
    domain = [0.0, 1.0, 2.5, 7.0]
    known = krippendorff.alpha(value_counts=counts, value_domain=domain, level_of_measurement=level)
    closed = alpha_of_coincidences(coincidences(counts).sum(axis=0), 4, level, domain)
    assert float(closed) == pytest.approx(known, abs=1e-12)


def test_pairs() -> None:
    answers = [
        (image, who, (image + (who == "C") * (image % 3 == 0)) % 5 + 1)
        for image in range(30)
        for who in ("A", "B" if image % 2 else "C")
    ]
    result = agreement(stars(answers))
    pairs = {" & ".join(row["annotators"]): row for row in rows_of(result, "pairs")}
    assert {name: row["images"] for name, row in pairs.items()} == {"A & B": 15, "A & C": 15}
    assert pairs["A & B"]["agreement"]["value"] == 1
    assert pairs["A & C"]["agreement"]["value"] < 1
    (pooled,) = rows_of(result, "agreement")
    values = [pair["agreement"]["value"] for pair in pairs.values()]
    assert pooled["mean_of_pairs"] == pytest.approx(np.mean(values))


def test_images_judged_once_count_in_no_measure() -> None:
    answers = [(image, who, 1 + image % 3) for image in range(12) for who in "AB"]
    alone = [(image, "A", 5) for image in range(20, 40)]
    once, both = (agreement(stars(each)) for each in (answers, [*answers, *alone]))
    assert rows_of(once, "agreement") == rows_of(both, "agreement")


def test_a_value_that_the_variable_does_not_list_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^9 is no value of 'stars'$"):
        agreement(stars([(image, who, 9) for image in range(6) for who in "AB"]))

"""Rounding, intervals, biases of raters, names of cells and bands, and the registry of protocols."""

from __future__ import annotations

import csv
import math
from fractions import Fraction
from pathlib import Path

import pytest
from scipy import stats

from scoring.anatomy.protocol import ANATOMY
from scoring.biases import adjusted_mean, biases_of, centred
from scoring.formula_guard import guarded, without_guard
from scoring.grid.taxonomy import CELL_BY_KEY, CELLS, SHEET_COLUMNS
from scoring.parametric_intervals import clopper_pearson, mean_interval, student_quantile
from scoring.people import people_of
from scoring.rounding import half_up, percent
from scoring.service import PROTOCOLS, get_protocol


@pytest.mark.parametrize(
    "text",
    ["=1+1", "'=1+1", "''=1", "'' =", "-5", "\tx", " =1+1", "\u3000@x", "\u00a0+x", "' =1"]
    + [f"{sign}1" for sign in "\uff1d\uff0b\uff0d\uff20"],
)
def test_a_formula_is_guarded(text: str) -> None:
    assert guarded(text) == f"'{text}"
    assert without_guard(guarded(text)) == text


@pytest.mark.parametrize("text", ["-", "'fine", "'", "", " x", "a=b", "１２", "−1"])
def test_anything_else_stays_as_it_is(text: str) -> None:
    assert guarded(text) == without_guard(text) == text


def test_a_guard_from_elsewhere_is_taken_off() -> None:
    assert [without_guard(text) for text in ("'-", "'=x", "''=x")] == ["-", "=x", "'=x"]


@pytest.mark.parametrize("trials", [1, 2, 7, 25, 180, 750])
def test_every_share_agrees_with_scipy(trials: int) -> None:
    for successes in range(0, trials + 1, max(1, trials // 20)):
        exact = stats.binomtest(successes, trials).proportion_ci(method="exact")
        assert clopper_pearson(successes, trials) == pytest.approx((exact.low, exact.high), abs=1e-11)


def test_what_is_no_share_is_refused_and_nothing_has_no_interval() -> None:
    for successes in (-1, 6):
        with pytest.raises(ValueError, match="is not a share"):
            clopper_pearson(successes, 5)
    assert clopper_pearson(0, 0) is None


@pytest.mark.parametrize("freedom", [1, 2, 3, 9, 19, 29, 400])
def test_quantiles_of_student_agree_with_scipy(freedom: int) -> None:
    assert student_quantile(0.95, freedom) == pytest.approx(stats.t.ppf(0.975, freedom), rel=1e-10)


def test_the_interval_of_a_mean_is_that_of_t_test() -> None:
    values = [Fraction(1, 20), Fraction(1, 10), Fraction(1, 5), Fraction(2, 5)]
    found = stats.ttest_1samp([float(value) for value in values], 0).confidence_interval(0.95)
    assert mean_interval(values) == pytest.approx((found.low, found.high), rel=1e-12)
    assert mean_interval(values[:1]) is None


@pytest.mark.parametrize(
    ("value", "places", "shown"),
    [
        (12.5, 0, "13"),
        (37.5, 0, "38"),
        (2.675, 2, "2.68"),
        (0.125, 2, "0.13"),
        (-0.125, 2, "-0.13"),
        (0.1249999, 2, "0.12"),
        (1234.5, 0, "1,235"),
        (5, 2, "5.00"),
        (1e20, 0, "100,000,000,000,000,000,000"),
        (math.inf, 2, "inf"),
    ],
)
def test_a_half_goes_up(value: float, places: int, shown: str) -> None:
    assert half_up(value, places) == shown


def test_every_share_of_up_to_200_images_is_rounded_as_by_hand() -> None:
    for images in range(1, 201):
        for part in range(images + 1):
            assert percent(part / images) == str((200 * part + images) // (2 * images))


@pytest.mark.parametrize(
    ("counts", "people"), [([], None), ([3], 3), ([1, 2], 2), ([2, 1, 9], 2), ([1, 1, 2, 5], 2), ([1, 4], 4)]
)
def test_the_median_takes_the_higher_of_two(counts: list[int], people: int | None) -> None:
    assert people_of(counts) == people


def test_every_protocol_stands_under_its_own_slug() -> None:
    assert get_protocol("anatomy") is ANATOMY
    assert {slug: get_protocol(slug).slug for slug in PROTOCOLS} == {slug: slug for slug in PROTOCOLS}


def test_cells_stand_in_the_published_order() -> None:
    assert [cell.key for cell in CELLS] == [
        f"{error_type}.{part}"
        for error_type in ("missing", "extra", "configuration", "orientation", "proportion")
        for part in ("torso", "limbs", "feet", "hands", "face")
    ]
    assert len(CELLS) == len(CELL_BY_KEY) == 25


def test_the_columns_are_those_of_the_published_sheet(study_data: Path) -> None:
    with (study_data / "data" / "annotations.csv").open(encoding="utf-8", newline="") as sheet:
        assert tuple(next(csv.reader(sheet))) == SHEET_COLUMNS


WORKED = [
    dict(zip("abcde", ratings, strict=True))
    for ratings in ((2, 1, 3, 2, 4), (9, 8, 10, 9, 9), (5, 4, 6, 5, 7), (8, 7, 9, 6, 8))
]
"""Images 1 to 4 of the worked table."""


def test_biases_of_the_worked_table_are_taken_from_the_ratings() -> None:
    tenths = {"a": -1, "b": -11, "c": 9, "d": -6, "e": 9}
    biases = biases_of(WORKED)
    assert biases == {rater: Fraction(tenth, 10) for rater, tenth in tenths.items()}
    # All five rated the image, and their biases sum to 0.
    assert adjusted_mean(WORKED[0], biases) == Fraction(12, 5)
    assert adjusted_mean({"b": 4, "d": 6}, biases) == Fraction(10 + Fraction(17, 10)) / 2


def test_biases_are_centred_for_realism_only() -> None:
    biases = biases_of([{"a": 1, "b": 3}, {"a": 2, "c": 2}])
    assert biases == {"a": Fraction(-1, 2), "b": Fraction(1), "c": Fraction(0)}
    assert centred(biases) == {"a": Fraction(-2, 3), "b": Fraction(5, 6), "c": Fraction(-1, 6)}
    assert centred({}) == {}


def test_who_shares_no_image_has_no_bias() -> None:
    images = [{"a": 5, "b": 6}, {"c": 9}]
    biases = biases_of(images)
    assert biases == {"a": Fraction(-1, 2), "b": Fraction(1, 2)}
    assert adjusted_mean(images[1], biases) == 9
    assert biases_of([]) == {}

"""Rounding, intervals, names of cells and bands, and the registry of protocols."""

from __future__ import annotations

import csv
import math
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from scipy import stats

from scoring import service
from scoring.anatomy.protocol import ANATOMY
from scoring.formula_guard import guarded, without_guard
from scoring.grid.taxonomy import CELL_BY_KEY, CELLS, SHEET_COLUMNS
from scoring.parametric_intervals import beta_probability, clopper_pearson, mean_interval, student_quantile
from scoring.people import BANDS, band_of, people_of
from scoring.rounding import half_up, percent
from scoring.service import PROTOCOLS, UnknownProtocol, get_protocol, registry
from tests.protocols.stars.rules import STARS


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


def test_every_number_has_one_band() -> None:
    assert [band_of(people) for people in (1, 2, 3, 4, 5, 99)] == ["1", "2", "3–4", "3–4", "5+", "5+"]
    assert list(BANDS) == ["1", "2", "3–4", "5+"]


@pytest.fixture
def two(monkeypatch: pytest.MonkeyPatch) -> None:
    """A registry with a second protocol."""
    monkeypatch.setattr(service, "PROTOCOLS", registry(ANATOMY, STARS))


def test_every_protocol_stands_under_its_own_slug() -> None:
    assert get_protocol("anatomy") is ANATOMY
    assert {slug: get_protocol(slug).slug for slug in PROTOCOLS} == {slug: slug for slug in PROTOCOLS}


@pytest.mark.usefixtures("two")
def test_a_second_protocol_is_found_beside_the_first() -> None:
    assert (get_protocol("anatomy"), get_protocol("stars")) == (ANATOMY, STARS)


@pytest.mark.usefixtures("two")
def test_an_unknown_protocol_is_named_beside_the_known_ones() -> None:
    with pytest.raises(UnknownProtocol) as unknown:
        get_protocol("moons")
    assert str(unknown.value) == "there is no protocol 'moons'; known: anatomy, stars"
    assert isinstance(unknown.value, KeyError)


def test_two_protocols_of_one_slug_are_refused() -> None:
    with pytest.raises(ValueError, match="'anatomy'"):
        registry(ANATOMY, STARS, replace(STARS, slug="anatomy"))


def test_cells_stand_in_the_published_order() -> None:
    assert [cell.key for cell in CELLS] == [
        f"{error_type}.{part}"
        for error_type in ("missing", "extra", "configuration", "orientation", "proportion")
        for part in ("torso", "limbs", "feet", "hands", "face")
    ]
    assert len(CELLS) == len(CELL_BY_KEY) == 25


def test_a_cell_has_a_key_a_heading_and_a_title() -> None:
    cell = CELL_BY_KEY["missing.limbs"]
    assert (cell.key, cell.heading, cell.title) == (
        "missing.limbs",
        "1. Missing Error-1.2 Limbs",
        "Missing · Limbs",
    )
    assert CELLS[-1].heading == "5. Proportion Error-5.5 Face"


def test_the_columns_are_those_of_the_published_sheet(study_data: Path) -> None:
    with (study_data / "data" / "annotations.csv").open(encoding="utf-8", newline="") as sheet:
        assert tuple(next(csv.reader(sheet))) == SHEET_COLUMNS

"""Intervals for other annotators, against leaving out with the library, and the images that are needed."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import krippendorff
import numpy as np
import pytest
from scipy import stats

from analysis.stats.bootstrap_intervals import effective_df
from analysis.stats.frames import Floats, Ints, RatingsFrame
from analysis.stats.generic.alphas import alpha_from
from analysis.stats.generic.precision import FEWEST_TO_PLAN, images_needed, over_annotators
from scoring.protocol import Level, Variable
from tests.analysis.stats.conftest import scored, summed

# qt(0.975, 3) of R.
T3 = 3.182446305


def by_pairs(images: int = 48, annotators: str = "abcd") -> RatingsFrame:
    """Every image is judged by two annotators, pair after pair; they differ in leniency."""
    rng = np.random.default_rng(8)
    pairs = list(combinations(range(len(annotators)), 2))
    scores: dict[str, dict[int, str]] = {name: {} for name in annotators}
    for image in range(images):
        truth = int(rng.integers(0, 30))
        for place in pairs[image % len(pairs)]:
            scores[annotators[place]][image] = str(truth + int(rng.integers(0, 12)) + 4 * place)
    return scored(scores)


def wide_of(frame: RatingsFrame) -> Floats:
    annotators, images = frame.codes("annotator"), frame.image_codes
    wide = np.full((annotators.max() + 1, images.max() + 1), np.nan)
    wide[annotators, images] = frame.scores
    return wide


def alpha(wide: Floats) -> float:
    return float(krippendorff.alpha(wide, level_of_measurement="interval"))


def jackknifed(values: list[float]) -> float:
    """The variance that the jackknife gives (Efron and Tibshirani 1993, equation 11.5)."""
    found, n = np.array(values), len(values)
    return float((n - 1) / n * ((found - found.mean()) ** 2).sum())


AMOUNT = Variable("amount", "Amount", "interval", "0 or more")
MARKS = Variable("marks", "Marks", "nominal", "0 or 1", values=(0, 1))


def over(wide: Floats, variable: Variable = AMOUNT) -> Any:
    """The estimate for other annotators, of (annotators, images) values with NaN for gaps."""
    images, annotators = np.nonzero(~np.isnan(wide.T))
    values = wide.T[images, annotators]
    value = float(krippendorff.alpha(wide, level_of_measurement=variable.level_of_measurement))
    return over_annotators(value, variable, values[:, None], images, annotators)


def left_out_by_library(wide: Floats, kind: Level) -> tuple[float, float]:
    """The jackknife variances over images and over annotators."""

    def of(kept: Floats) -> float:
        return float(krippendorff.alpha(kept, level_of_measurement=kind))

    return (
        jackknifed([of(np.delete(wide, image, axis=1)) for image in range(wide.shape[1])]),
        jackknifed([of(np.delete(wide, person, axis=0)) for person in range(wide.shape[0])]),
    )


def test_images_and_annotators_are_left_out_in_turn() -> None:
    wide = wide_of(by_pairs())
    of_images, of_annotators = left_out_by_library(wide, "interval")
    reach = T3 * np.sqrt(max(of_images, of_annotators - of_images))
    found = over(wide)
    assert found["value"] == pytest.approx(alpha(wide))
    assert found["low"] == pytest.approx(alpha(wide) - reach)
    assert found["high"] == pytest.approx(min(alpha(wide) + reach, 1))
    assert found["method"] == "two-way jackknife over images and annotators"
    assert (found["n_units"], found["n_coders"]) == (48, 4)


def of_pairs(wide: Floats, without: int) -> float:
    """Alpha of the coincidences of all pairs but those of one person, each 1 / (n - 1) of an image of n.

    Values are whole numbers; squared differences are also the nominal ones of 0 and 1.
    """
    levels = int(np.nanmax(wide)) + 1
    found = np.zeros((levels, levels))
    for image in wide.T:
        people = np.flatnonzero(~np.isnan(image))
        for a, b in combinations(people.tolist(), 2):
            if without not in (a, b):
                one, other = int(image[a]), int(image[b])
                found[[one, other], [other, one]] += 1 / (len(people) - 1)
                found[one, other] += (one == other) / (len(people) - 1)
    apart = (np.arange(levels)[:, None] - np.arange(levels)) ** 2
    values = found.sum(axis=0)
    return float(1 - (values.sum() - 1) * (found * apart).sum() / (np.outer(values, values) * apart).sum())


@pytest.mark.parametrize("variable", [AMOUNT, MARKS], ids=lambda variable: variable.name)
def test_a_pair_of_an_image_of_n_annotators_counts_one_of_n_minus_one(variable: Variable) -> None:
    """Images of two, three, four and five annotators."""
    rng = np.random.default_rng(12)
    top = 9 if variable is AMOUNT else 2
    wide = ((rng.integers(0, top, 40) + rng.integers(0, 2, (5, 40))) % top).astype(np.float64)
    for image in range(40):
        wide[rng.permutation(5)[: image % 4], image] = np.nan
    of_images, _ = left_out_by_library(wide, variable.level_of_measurement)
    of_annotators = jackknifed([of_pairs(wide, person) for person in range(5)])
    found = over(wide, variable)
    assert found["value"] == pytest.approx(of_pairs(wide, -1))
    reach = stats.t.ppf(0.975, 4) * np.sqrt(max(of_images, of_annotators - of_images))
    assert found["value"] - found["low"] == pytest.approx(reach, rel=1e-9)


def test_few_images_and_equal_values_have_none() -> None:
    assert over(np.arange(16.0).reshape(4, 4))["refused"] == "too few: 4 of 5 images"
    unit, people = np.repeat(np.arange(6), 4), np.tile(np.arange(4), 6)
    assert over_annotators(None, AMOUNT, np.ones((24, 1)), unit, people)["refused"] == "no value"


def of_two(first: Floats, second: Floats) -> tuple[Floats, Ints]:
    """The values of two annotators of the same images, and the images."""
    return np.stack([first, second], axis=1).reshape(-1, 1), np.repeat(np.arange(len(first)), 2)


def random_two(images: int) -> tuple[Floats, Ints]:
    rng = np.random.default_rng(5)
    return of_two(*rng.integers(0, 9, (2, images)).astype(float))


def test_images_needed_scale_the_jackknife_error() -> None:
    values, unit = random_two(FEWEST_TO_PLAN)
    found = images_needed(AMOUNT, values, unit)
    assert found is not None
    rows = summed(values[:, 0], unit)
    without = np.array([float(alpha_from(rows.sum(axis=0) - row)) for row in rows])
    variance = 39 / 40 * ((without - without.mean()) ** 2).sum()
    (df,) = effective_df(without[:, None]) / 2
    squared = (1.959964 / 0.10) ** 2 * FEWEST_TO_PLAN * variance
    assert (found["width"], found["needed"]) == (0.1, int(np.ceil(squared)))
    assert found["low"] == pytest.approx(squared * df / stats.chi2.ppf(0.975, df), abs=1)
    assert found["high"] == pytest.approx(squared * df / stats.chi2.ppf(0.025, df), abs=1)
    assert found["low"] < found["needed"] < found["high"]


def test_a_number_of_images_that_says_nothing_is_not_given() -> None:
    """Too few images, alpha that hangs on few of many, enough images already, and equal values."""
    rare = np.zeros((2, 60))
    rare[0, :2] = rare[1, 1:3] = 1
    agreed = np.tile(np.arange(60.0) % 9, (2, 1))
    agreed[1, :3] = (1, 2, 1)
    for values, unit in (
        random_two(FEWEST_TO_PLAN - 1),
        of_two(*rare),
        of_two(*agreed),
        of_two(np.ones(60), np.ones(60)),
        (np.zeros((0, 1)), np.zeros(0, dtype=np.int64)),
    ):
        assert images_needed(AMOUNT, values, unit) is None

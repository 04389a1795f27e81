"""Krippendorff's alpha, and what to say where it has no value.

Sources: K. Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), and "Content Analysis: An
Introduction to Its Methodology", 4th edition (2018), chapter 12. Alpha is 1 - Do/De: observed over expected
disagreement, both over the *pairable* values only, those of units with at least two coders. All of it is in
closed form over sums that units add to, so that any set of images, and any resample of them, costs an
addition; the tests hold every value to the `krippendorff` library.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final, Literal, TypedDict

import numpy as np
import numpy.typing as npt

from analysis.stats.frames import Floats, Ints

LevelOfMeasurement = Literal["nominal", "ordinal", "interval"]

ALL_EQUAL: Final = "all values are equal"
TOO_FEW_IMAGES: Final = "fewer than 2 pairable images"
ROUNDING: Final = 1e-13


class AlphaJson(TypedDict):
    """An `Alpha` in a report."""

    alpha: float | None
    units: int
    level_of_measurement: str
    undefined: str | None


@dataclass(frozen=True)
class Alpha:
    """An alpha over `units` pairable units; where there is none, `undefined` says why."""

    alpha: float | None
    units: int
    level_of_measurement: LevelOfMeasurement
    undefined: str | None = None

    def as_json(self) -> AlphaJson:
        """Plain values for a report."""
        return {
            "alpha": self.alpha,
            "units": self.units,
            "level_of_measurement": self.level_of_measurement,
            "undefined": self.undefined,
        }


def unit_stats(values: npt.ArrayLike, units: npt.ArrayLike) -> Floats:
    """(pairable units, 4): per unit n, sum, sum of squares and observed disagreement d.

    `values` and `units` are (ratings,): a number and the index of the unit it was given to. Values are
    centred on their mean first, so that an offset costs no digits. For interval data the squared
    differences of all pairs within a unit are 2n times the squares around the unit's mean, hence
    d = 2n/(n-1) * squares within. Rows add up: alpha of any set of units is `alpha_from(their sum)`.
    """
    x, u = np.asarray(values, dtype=np.float64), np.asarray(units, dtype=np.int64)
    pairable = np.bincount(u)[u] >= 2 if len(u) else np.zeros(0, dtype=np.bool_)
    x, u = x[pairable], np.unique(u[pairable], return_inverse=True)[1]
    if not len(x):
        return np.zeros((0, 4))
    x = x - x.mean()
    n = np.bincount(u).astype(np.float64)
    total = np.bincount(u, weights=x)
    within = np.bincount(u, weights=(x - (total / n)[u]) ** 2)
    return np.stack([n, total, np.bincount(u, weights=x * x), 2 * n / (n - 1) * within], axis=1)


def alpha_from(totals: npt.ArrayLike) -> Floats:
    """(...,): alpha of (..., 4) totals of `unit_stats`; NaN where all values are equal.

    Expected disagreement is 2(n*ss - s^2)/(n-1), with n ratings in all; interval data, any number of
    coders a unit. O(ratings), where a coincidence matrix would need distinct values squared.
    """
    n, s, ss, d = np.moveaxis(np.asarray(totals, dtype=np.float64), -1, 0)
    with np.errstate(all="ignore"):
        spread = n * ss - s * s
        # Rounding leaves a trace of the squares where all values are equal.
        return np.asarray(np.where(spread > ROUNDING * n * ss, 1 - d * (n - 1) / (2 * spread), np.nan))


def interval_alpha(values: Floats, units: Ints) -> Alpha:
    """Alpha at the interval level, by the closed form; arguments as of `unit_stats`."""
    stats = unit_stats(values, units)
    if len(stats) < 2:
        return Alpha(None, len(stats), "interval", TOO_FEW_IMAGES)
    pairable = values[np.bincount(units)[units] >= 2]
    if pairable.min() == pairable.max():
        return Alpha(None, len(stats), "interval", ALL_EQUAL)
    return Alpha(float(alpha_from(stats.sum(axis=0))), len(stats), "interval")


def coincidences(counts: npt.NDArray[Any]) -> Floats:
    """(units, levels + pairs of levels): per unit the pairable values of each level, then coincidences.

    `counts` is (units, levels): how many coders gave the level to the unit. Of levels c < k, in the order
    of `itertools.combinations`, n_c n_k / (n - 1) values coincide. Units with fewer than two coders give
    zeros. Rows add up, as those of `unit_stats` do.
    """
    given = np.asarray(counts, dtype=np.float64)
    coders = given.sum(axis=1)
    pairable = coders >= 2
    usable = np.where(pairable[:, None], given, 0.0)
    share = 1 / np.where(pairable, coders - 1, 1.0)
    off = [usable[:, c] * usable[:, k] * share for c, k in combinations(range(given.shape[1]), 2)]
    return np.column_stack([usable, *off])


def alpha_of_coincidences(totals: npt.ArrayLike, levels: int, level: Literal["nominal", "ordinal"]) -> Floats:
    """(...,): alpha of (..., levels + pairs) totals of `coincidences`; NaN where all values are equal.

    1 - (N - 1) * sum of o_ck d_ck / sum of n_c n_k d_ck over c < k, with N values in all; d is 1 at the
    nominal level, and the square of the ranks between, (n_c / 2 + ... + n_k / 2)^2, at the ordinal one.
    """
    parts = np.moveaxis(np.asarray(totals, dtype=np.float64), -1, 0)
    values, together = parts[:levels], parts[levels:]
    observed = np.zeros(values.shape[1:])
    expected = np.zeros(values.shape[1:])
    for (c, k), coinciding in zip(combinations(range(levels), 2), together, strict=True):
        between = 1.0 if level == "nominal" else _ranks_between(values, c, k) ** 2
        observed = observed + coinciding * between
        expected = expected + values[c] * values[k] * between
    with np.errstate(all="ignore"):
        ratio = (values.sum(axis=0) - 1) * observed / expected
    return np.asarray(np.where(expected > 0, 1 - ratio, np.nan))


def _ranks_between(values: Floats, c: int, k: int) -> Floats:
    return np.asarray(values[c : k + 1].sum(axis=0) - (values[c] + values[k]) / 2)


def counted_alpha(counts: npt.NDArray[Any], level: Literal["nominal", "ordinal"]) -> Alpha:
    """Alpha of few levels, from (units, levels) counts of how many coders gave the level to the unit."""
    pairable = counts[counts.sum(axis=1) >= 2]
    units, levels = pairable.shape
    if units < 2:
        return Alpha(None, units, level, TOO_FEW_IMAGES)
    value = float(alpha_of_coincidences(coincidences(pairable).sum(axis=0), levels, level))
    if np.isnan(value):
        return Alpha(None, units, level, ALL_EQUAL)
    return Alpha(value, units, level)


def binary_alpha(images: int, cells: int, totals: Floats) -> Alpha:
    """Alpha of yes/no ratings of `cells` cells in each of `images` images, from (4,) summed unit statistics.

    With two levels the nominal and the interval difference are the same 0 or 1, so the closed form is
    nominal alpha. Units are cells x images; fewer than two images say nothing about other images.
    """
    units = images * cells
    if images < 2:
        return Alpha(None, units, "nominal", TOO_FEW_IMAGES)
    value = float(alpha_from(totals))
    if np.isnan(value):
        return Alpha(None, units, "nominal", ALL_EQUAL)
    return Alpha(value, units, "nominal")

"""Krippendorff's alpha of any variable at its level of measurement, with an interval over images.

Sources: K. Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), and "Content Analysis: An
Introduction to Its Methodology", 4th edition (2018), chapter 12. Alpha is 1 - Do/De: observed over expected
disagreement, both over the *pairable* values only, those of units with at least two annotators. The closed
form works on sums over units, so any set of images, and any resample, costs only additions. Point estimates
come from `krippendorff.alpha` (S. Castro, "Fast Krippendorff", 2017) where its arrays of units x values x
values, 24 bytes per entry at the peak, are small enough; the closed form gives the same number to 1e-12.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

import krippendorff
import numpy as np
import numpy.typing as npt

from analysis.stats.bootstrap_intervals import NONE, estimated
from analysis.stats.estimates import AlphaEstimate, refused
from analysis.stats.fewest_images import FEWEST, too_few
from analysis.stats.frames import Floats, Ints
from scoring.protocol import Level, Variable

LIBRARY: Final = "krippendorff"
CLOSED_FORM: Final = "closed form"
ALL_EQUAL: Final = "all values are equal"
ROUNDING: Final = 1e-13
# Units x values x values: 48 MB and some hundredths of a second for one alpha. That is 20,000 images of 25
# cells, 222,000 images in three bands, or 80 images with two distinct scores each.
MOST_ENTRIES: Final = 2_000_000
# The first ratings usually decide that there are too many distinct ones.
SOME: Final = 4096
CHUNK: Final = 20_000
"""Units counted at a time, so that a million annotations of 25 cells need little memory."""


def interval_sums(values: Floats, units: Ints, n: Ints) -> Floats:
    """Return (units, 3): per unit the sum, the sum of squares and the observed disagreement of its ratings.

    `values` and `units` are (ratings,): a number, preferably centred on the overall mean so that an offset
    costs no digits, and the index of the unit it was given to; `n` (units,) is the number of ratings of each
    unit. For interval data the squared differences of all pairs within a unit are 2n times the squares around
    the unit's mean, hence a disagreement of 2n/(n - 1) * squares within. Rows are additive: preceded by the
    number of ratings, their sums are the input of `alpha_from` for any set of units that each have no rating
    or at least two.
    """
    total = np.bincount(units, values, minlength=len(n))
    within = np.bincount(units, (values - (total / np.maximum(n, 1))[units]) ** 2, minlength=len(n))
    squares = np.bincount(units, values * values, minlength=len(n))
    return np.stack([total, squares, 2 * n / np.maximum(n - 1, 1) * within], axis=1)


def alpha_from(totals: npt.ArrayLike) -> Floats:
    """Return (...,): alpha of (..., 4) totals: ratings, then `interval_sums`; NaN where all values are equal.

    Expected disagreement is 2(n*ss - s^2)/(n-1), with n ratings in all; for interval data and any number of
    annotators per unit. O(ratings), where a coincidence matrix would need the square of the number of
    distinct values.
    """
    n, s, ss, d = np.moveaxis(np.asarray(totals, dtype=np.float64), -1, 0)
    with np.errstate(all="ignore"):
        spread = n * ss - s * s
        # Rounding leaves tiny squares if all values are equal.
        return np.asarray(np.where(spread > ROUNDING * n * ss, 1 - d * (n - 1) / (2 * spread), np.nan))


def coincidences(counts: npt.NDArray[Any]) -> Floats:
    """Return (units, levels + pairs of levels): the pairable values of each level, then coincidences.

    `counts` is (units, levels): how many annotators gave the level to the unit. Of levels c < k, in the order
    of `itertools.combinations`, n_c n_k / (n - 1) values coincide. Units with fewer than two annotators give
    zeros. Rows are additive, as in `interval_sums`.
    """
    given = np.asarray(counts, dtype=np.float64)
    annotators = given.sum(axis=1)
    pairable = annotators >= 2
    usable = np.where(pairable[:, None], given, 0.0)
    share = 1 / np.where(pairable, annotators - 1, 1.0)
    off = [usable[:, c] * usable[:, k] * share for c, k in combinations(range(given.shape[1]), 2)]
    return np.column_stack([usable, *off])


def alpha_of_coincidences(
    totals: npt.ArrayLike, levels: int, level: Level, domain: Sequence[float] = ()
) -> Floats:
    """Return (...,): alpha of (..., levels + pairs) totals of `coincidences`; NaN where all values are equal.

    1 - (N - 1) * sum of o_ck d_ck / sum of n_c n_k d_ck over c < k, with N values in all. d is 1 at the
    nominal level, otherwise the square of the number of ranks between, n_c / 2 + ... + n_k / 2 (ordinal), of
    v_c - v_k (interval), or of (v_c - v_k) / (v_c + v_k) (ratio). `domain` (levels,) holds v, for the last
    two.
    """
    parts = np.moveaxis(np.asarray(totals, dtype=np.float64), -1, 0)
    values, together = parts[:levels], parts[levels:]
    observed = np.zeros(values.shape[1:])
    expected = np.zeros(values.shape[1:])
    for (c, k), coinciding in zip(combinations(range(levels), 2), together, strict=True):
        if level == "nominal":
            between: float | Floats = 1.0
        elif level == "ordinal":
            between = _ranks_between(values, c, k) ** 2
        else:
            scale = domain[k] + domain[c] if level == "ratio" else 1
            between = ((domain[k] - domain[c]) / scale) ** 2
        observed = observed + coinciding * between
        expected = expected + values[c] * values[k] * between
    with np.errstate(all="ignore"):
        ratio = (values.sum(axis=0) - 1) * observed / expected
    return np.asarray(np.where(expected > 0, 1 - ratio, np.nan))


def _ranks_between(values: Floats, c: int, k: int) -> Floats:
    return np.asarray(values[c : k + 1].sum(axis=0) - (values[c] + values[k]) / 2)


def level_of(variable: Variable) -> Level:
    """Return the level of measurement to use: that of the variable if its values can be listed.

    Otherwise numbers count as interval data, because the other metrics need the list of values.
    """
    return variable.level_of_measurement if variable.values else "interval"


def counted(values: npt.NDArray[Any], unit: Ints, variable: Variable) -> Iterator[Ints]:
    """Yield (some units, c, levels), unit after unit: how often each listed value was given to a component.

    `values` are (rows, c); `unit` (rows,) is the sorted index of each row's image, without gaps from 0. Raise
    ValueError for a value that the variable does not list.
    """
    domain = np.array(variable.values, dtype=np.float64)
    width, levels = values.shape[1], len(domain)
    for start in range(0, int(unit[-1]) + 1 if len(unit) else 0, CHUNK):
        rows = slice(*np.searchsorted(unit, [start, start + CHUNK]).tolist())
        given, of = values[rows].astype(np.float64), unit[rows] - start
        places = np.searchsorted(domain, given)
        is_known = domain[np.minimum(places, levels - 1)] == given
        if not is_known.all():
            raise ValueError(f"{given[~is_known][0]:g} is no value of {variable.name!r}")
        units = int(of[-1]) + 1
        flat = ((of[:, None] * width + np.arange(width)) * levels + places).ravel()
        yield np.bincount(flat, minlength=units * width * levels).reshape(units, width, levels)


@dataclass(frozen=True)
class AlphaSums:
    """How the values of a variable become sums that add up over images, and sums become alphas.

    `centre` is taken from values that cannot be listed, so that an offset costs no digits.
    """

    variable: Variable
    centre: float = 0.0

    def rows(self, values: npt.NDArray[Any], unit: Ints) -> Floats:
        """Return (units, k) sums of (rows, c) values, each unit with two rows or more; see `counted`."""
        width = values.shape[1]
        if self.variable.values:
            parts = [
                coincidences(counts.reshape(-1, counts.shape[2])).reshape(len(counts), width, -1).sum(axis=1)
                for counts in counted(values, unit, self.variable)
            ]
            return np.concatenate(parts) if parts else np.zeros((0, 1))
        of, units = _by_component(unit, width), int(unit[-1]) + 1 if len(unit) else 0
        n = np.bincount(of, minlength=units * width)
        sums = np.column_stack([n, interval_sums((values - self.centre).ravel(), of, n)])
        return np.asarray(sums.reshape(units, width, -1).sum(axis=1))

    def alphas(self, totals: Floats) -> Floats:
        """Return (…, 1): alpha of (…, k) totals over images; NaN where all values are equal."""
        domain = self.variable.values
        if not domain:
            return alpha_from(totals)[..., None]
        return alpha_of_coincidences(totals, len(domain), level_of(self.variable), domain)[..., None]

    def point(
        self, values: npt.NDArray[Any], unit: Ints, closed: float, most: int
    ) -> tuple[float, str | None]:
        """Return alpha of the values and what computed it: the library, above `most` entries `closed`.

        NaN in `closed` is kept: without two distinct pairable values, the library raises ValueError or
        returns NaN.
        """
        if math.isnan(closed):
            return closed, None
        width, units = values.shape[1], int(unit[-1]) + 1
        if not self.variable.values:
            return _of_numbers(values.ravel(), _by_component(unit, width), units * width, closed, most)
        domain = np.array(self.variable.values, dtype=np.float64)
        if units * width * len(domain) ** 2 > most:
            return closed, CLOSED_FORM
        counts = np.concatenate(list(counted(values, unit, self.variable))).reshape(-1, len(domain))
        return _of_counts(counts, domain, level_of(self.variable)), LIBRARY


def _by_component(unit: Ints, width: int) -> Ints:
    """Return (rows * c,): the index of each value's component of its unit."""
    return (unit[:, None] * width + np.arange(width)).ravel()


def _of_numbers(
    values: Floats, units: Ints, n_units: int, closed: float, most: int
) -> tuple[float, str | None]:
    if any(n_units * len(np.unique(some)) ** 2 > most for some in (values[:SOME], values)):
        return closed, CLOSED_FORM
    domain, places = np.unique(values, return_inverse=True)
    flat = np.bincount(units * len(domain) + places, minlength=n_units * len(domain))
    return _of_counts(flat.reshape(n_units, len(domain)), domain, "interval"), LIBRARY


def _of_counts(counts: Ints, domain: Floats, level: Level) -> float:
    alpha = krippendorff.alpha(value_counts=counts, value_domain=domain, level_of_measurement=level)
    return float(alpha)


def sums_of(variable: Variable, values: npt.NDArray[Any]) -> AlphaSums:
    """Return how these (rows, c) values of a variable are summed."""
    return AlphaSums(variable, 0.0 if variable.values or not len(values) else float(values.mean()))


def alpha_of(
    values: npt.NDArray[Any], unit: Ints, variable: Variable, n_coders: int, *, most: int = MOST_ENTRIES
) -> AlphaEstimate:
    """Return Krippendorff's alpha of (rows, c) values, c components, with a 95% interval over units.

    `unit` (rows,) is the sorted index of each row's image, without gaps from 0, each with two or more rows.
    The components of an image stay together in every resample. `most` limits the arrays of the library. Raise
    ValueError for a value that the variable does not list.
    """
    n_units = int(unit[-1]) + 1 if len(unit) else 0
    if n_units < FEWEST:
        nothing = refused(too_few(n_units), n_units=n_units, n_coders=n_coders, method=NONE)
        return AlphaEstimate(**nothing, computed_by=None)
    sums = sums_of(variable, values)
    rows = sums.rows(values, unit)
    value, computed_by = sums.point(values, unit, float(sums.alphas(rows.sum(axis=0))[0]), most)
    (alpha,) = estimated(
        rows, sums.alphas, n_coders=n_coders, undefined=ALL_EQUAL, values=[value], highest=1.0
    )
    return AlphaEstimate(**alpha, computed_by=computed_by)

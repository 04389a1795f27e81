"""Krippendorff's alpha in closed form.

Sources: K. Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), and "Content Analysis: An
Introduction to Its Methodology", 4th edition (2018), chapter 12. Alpha is 1 - Do/De: observed over expected
disagreement, both over the *pairable* values only, those of units with at least two coders. The closed form
works on sums over units, so any set of images, and any resample, costs only additions. It serves intervals;
point estimates come from the `krippendorff` package (`point_estimates.py`), which the tests compare it with.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from analysis.stats.frames import Floats, Ints
from scoring.protocol import Level

LevelOfMeasurement = Level

ALL_EQUAL: Final = "all values are equal"
ROUNDING: Final = 1e-13


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
    coders per unit. O(ratings), where a coincidence matrix would need the square of the number of distinct
    values.
    """
    n, s, ss, d = np.moveaxis(np.asarray(totals, dtype=np.float64), -1, 0)
    with np.errstate(all="ignore"):
        spread = n * ss - s * s
        # Rounding leaves tiny squares if all values are equal.
        return np.asarray(np.where(spread > ROUNDING * n * ss, 1 - d * (n - 1) / (2 * spread), np.nan))


def coincidences(counts: npt.NDArray[Any]) -> Floats:
    """Return (units, levels + pairs of levels): the pairable values of each level, then coincidences.

    `counts` is (units, levels): how many coders gave the level to the unit. Of levels c < k, in the order of
    `itertools.combinations`, n_c n_k / (n - 1) values coincide. Units with fewer than two coders give zeros.
    Rows are additive, as in `interval_sums`.
    """
    given = np.asarray(counts, dtype=np.float64)
    coders = given.sum(axis=1)
    pairable = coders >= 2
    usable = np.where(pairable[:, None], given, 0.0)
    share = 1 / np.where(pairable, coders - 1, 1.0)
    off = [usable[:, c] * usable[:, k] * share for c, k in combinations(range(given.shape[1]), 2)]
    return np.column_stack([usable, *off])


def alpha_of_coincidences(
    totals: npt.ArrayLike, levels: int, level: LevelOfMeasurement, domain: Sequence[float] = ()
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

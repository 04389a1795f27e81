"""The number of doubly annotated images for an interval of the score's alpha of ± 0.10."""

from __future__ import annotations

import math
from typing import Any, Final

from scipy import stats

from analysis.stats.agreement.variables import COMPUTED, alphas
from analysis.stats.bootstrap_intervals import blocked, effective_df, left_out, standard_errors
from analysis.stats.estimates import CONFIDENCE
from analysis.stats.frames import Floats

WIDTH: Final = 0.10
FEWEST: Final = 40
"""Doubly annotated images below which no number is given: it would rest on too few."""
WIDEST: Final = 10
"""Times the lower limit beyond which the upper limit says nothing."""
_SCORE: Final = COMPUTED.index("cumulative_score")


def images_needed(rows: Floats) -> dict[str, Any]:
    """Return the images needed, `None` for one that says nothing; `rows` are (images, COLUMNS) sums.

    The jackknife standard error s of alpha falls with the square root of the number of images n, if further
    images and annotators resemble those so far: (z · s · √n / width)² images, rounded up. `low` and `high`
    follow from the 95% interval of s², from the χ² distribution with half of `effective_df` (half, because
    the jackknife's values are themselves estimates). None below `FEWEST` images, if the images suffice, if
    alpha does not vary, and if `high` is more than `WIDEST` times `low`.
    """
    images, nothing = len(rows), {"needed": None, "low": None, "high": None}
    about = {"width": WIDTH, "images": images}
    if images < FEWEST:
        return {**about, **nothing}
    sums = blocked(rows)
    error = float(standard_errors(sums, alphas)[_SCORE])
    df = float(effective_df(left_out(sums, alphas))[_SCORE]) / 2
    if math.isnan(error) or error <= 1e-12:
        return {**about, **nothing}
    sides = ((1 + CONFIDENCE) / 2, (1 - CONFIDENCE) / 2)
    low, high = (error * math.sqrt(df / float(stats.chi2.ppf(side, df))) for side in sides)
    needed, least, most = (_images(spread, images) for spread in (error, low, high))
    if needed <= images or most > WIDEST * least:
        return {**about, **nothing}
    return {**about, "needed": needed, "low": least, "high": most}


def _images(error: float, images: int) -> int:
    z = float(stats.norm.ppf((1 + CONFIDENCE) / 2))
    return math.ceil((z * error / WIDTH) ** 2 * images)

"""The number of doubly annotated images for an interval of a given width, from the current data."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
from scipy import stats

from analysis.stats.agreement.variables import COMPUTED, RATINGS, alphas
from analysis.stats.bootstrap_intervals import (
    FEWEST,
    HANGS_ON_ONE,
    NEVER_VARIES,
    blocked,
    effective_df,
    left_out,
    standard_errors,
    too_few,
)
from analysis.stats.estimates import CONFIDENCE
from analysis.stats.frames import Floats

WIDTHS: Final = (0.05, 0.10, 0.15, 0.20)
FORMULA: Final = "images = (z · standard error · √(images now) / width)², z the normal quantile of 0.975"
INTERVAL: Final = (
    "χ² interval of the squared standard error, degrees of freedom from the jackknife's kurtosis"
)


def planner(rows: Floats) -> dict[str, Any]:
    """Return for every alpha the images needed for an interval of ± width; `rows` are (images, COLUMNS) sums.

    The jackknife standard error of the current alpha falls with the square root of the number of images, if
    further images and annotators resemble those so far. Rounded up to whole images. The standard error is
    itself uncertain: `low` and `high` are the images needed at the limits of its 95% interval, from the χ²
    distribution with half of `effective_df`. (Half, because the jackknife's values are themselves estimates:
    in simulations, all degrees of freedom contained the images needed in 80 to 92%, half in 91 to 98%.)
    """
    few = len(rows) < FEWEST
    errors, df = np.full((2, len(COMPUTED)), np.nan)
    if not few:
        sums = blocked(rows)
        errors, df = standard_errors(sums, alphas), effective_df(left_out(sums, alphas)) / 2
    images = {name: len(rows) for name in COMPUTED}
    images |= {name: int((rows[:, columns] > 0).any(axis=1).sum()) for name, columns in RATINGS.items()}
    return {
        "formula": FORMULA,
        "interval": INTERVAL,
        "images": len(rows),
        "rows": [
            {"name": name, **_needed(float(error), float(freedom), images[name])}
            for name, error, freedom in zip(COMPUTED, errors, df, strict=True)
        ],
    }


def _needed(error: float, df: float, images: int) -> dict[str, Any]:
    nothing: dict[str, Any] = {"standard_error": None, "half_width_now": None, "needed": []}
    if images < FEWEST:
        return {**nothing, "refused": too_few(images)}
    if np.isnan(error):
        return {**nothing, "refused": HANGS_ON_ONE}
    if error <= 1e-12:
        return {**nothing, "refused": NEVER_VARIES}
    z = float(stats.norm.ppf((1 + CONFIDENCE) / 2))
    sides = ((1 + CONFIDENCE) / 2, (1 - CONFIDENCE) / 2)
    low, high = (error * math.sqrt(df / float(stats.chi2.ppf(side, df))) for side in sides)

    def needed(width: float, spread: float) -> int:
        return math.ceil((z * spread / width) ** 2 * images)

    return {
        "standard_error": error,
        "half_width_now": z * error,
        "needed": [
            {
                "width": width,
                "images": needed(width, error),
                "low": needed(width, low),
                "high": needed(width, high),
            }
            for width in WIDTHS
        ],
        "refused": None,
    }

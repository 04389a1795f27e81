"""The number of doubly annotated images for an interval of a given width, from the current data."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
from scipy import stats

from analysis.stats.agreement.variables import ADJUSTED, ADJUSTED_SCORE, COMPUTED, alphas
from analysis.stats.estimates import CONFIDENCE
from analysis.stats.frames import Floats
from analysis.stats.resampling import FEWEST, HANGS_ON_ONE, NEVER_VARIES, blocked, standard_errors, too_few

WIDTHS: Final = (0.05, 0.10, 0.15, 0.20)
FORMULA: Final = "images = (z · standard error · √(images now) / width)², z the normal quantile of 0.975"


def planner(rows: Floats) -> dict[str, Any]:
    """Return for every alpha the images needed for an interval of ± width; `rows` are (images, COLUMNS) sums.

    The jackknife standard error of the current alpha falls with the square root of the number of images, if
    further images and annotators resemble those so far. Rounded up to whole images.
    """
    few = len(rows) < FEWEST
    errors = np.full(len(COMPUTED), np.nan) if few else standard_errors(blocked(rows), alphas)
    images = {name: len(rows) for name in COMPUTED}
    images[ADJUSTED] = int((rows[:, ADJUSTED_SCORE.start] > 0).sum())
    return {
        "formula": FORMULA,
        "images": len(rows),
        "rows": [
            {"name": name, **_needed(float(error), images[name])}
            for name, error in zip(COMPUTED, errors, strict=True)
        ],
    }


def _needed(error: float, images: int) -> dict[str, Any]:
    nothing: dict[str, Any] = {"standard_error": None, "half_width_now": None, "needed": []}
    if images < FEWEST:
        return {**nothing, "refused": too_few(images)}
    if np.isnan(error):
        return {**nothing, "refused": HANGS_ON_ONE}
    if error <= 1e-12:
        return {**nothing, "refused": NEVER_VARIES}
    z = float(stats.norm.ppf((1 + CONFIDENCE) / 2))
    return {
        "standard_error": error,
        "half_width_now": z * error,
        "needed": [
            {"width": width, "images": math.ceil((z * error / width) ** 2 * images)} for width in WIDTHS
        ],
        "refused": None,
    }

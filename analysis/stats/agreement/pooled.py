"""Agreement of all annotators at once."""

from __future__ import annotations

from typing import Final

import numpy as np

from analysis.stats.agreement.adjusted import adjusted_estimates
from analysis.stats.agreement.groups import Estimates, all_alphas, with_cautions, with_computed_by
from analysis.stats.agreement.point_estimates import Point
from analysis.stats.agreement.values import Units, Values, units_of
from analysis.stats.agreement.variables import ADJUSTED, Variable
from analysis.stats.bootstrap_intervals import NONE
from analysis.stats.estimates import Estimate, refused
from analysis.stats.frames import RatingsFrame
from analysis.stats.pairs import SharedImages

NO_DIFFERENCE: Final = "too few images, or too many pairs of annotators"


def pooled_units(frame: RatingsFrame, judged: Values) -> tuple[Units, int]:
    """Return the images with two or more annotations as units, and the number of their annotators."""
    rows = np.flatnonzero(judged.pairable)
    units = np.unique(frame.image_codes[rows], return_inverse=True)[1]
    return units_of(judged, rows, units), len(np.unique(judged.annotators[rows]))


def pooled_alphas(
    frame: RatingsFrame,
    judged: Values,
    shared: SharedImages,
    pooled: Units,
    points: dict[Variable, Point],
    n_coders: int,
) -> tuple[Estimates, Estimate]:
    """Return the pooled alphas, and adjusted minus raw alpha."""
    rows = judged.pairable
    found = with_cautions(
        all_alphas(pooled.sums, points, n_coders), judged.shared_sizes[rows], judged.all_sizes[rows]
    )
    values = points[ADJUSTED].value, points["cumulative_score"].value
    both = adjusted_estimates(frame, judged, shared, pooled, n_coders, values)
    if both is None:
        known = None if np.isnan(values).any() else values[0] - values[1]
        images = found[ADJUSTED]["n_units"]
        return found, refused(NO_DIFFERENCE, value=known, n_units=images, n_coders=n_coders, method=NONE)
    adjusted, difference = both
    return {**found, ADJUSTED: with_computed_by(adjusted, points[ADJUSTED])}, difference

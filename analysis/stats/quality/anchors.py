"""Differences from references: over all of an annotator's anchors, and lately.

Lately an annotator is away from the references if the interval of the mean difference of their last `RECENT`
anchors, which the page shows, does not include 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from analysis.stats.estimates import Estimate, refused
from analysis.stats.frames import Floats
from analysis.stats.means import SAME, T_INTERVAL, grouped, mean_estimates

FEWEST: Final = 8
"""Anchors that a verdict needs."""
RECENT: Final = 10
NO_ANCHORS: Final = "no anchors"


@dataclass(frozen=True)
class Anchored:
    """The mean difference from references `overall` and `lately`, with 95% intervals.

    `is_away`: whether the interval of the last differences, of at least `FEWEST`, lies on one side of 0.
    """

    anchors: int
    overall: Estimate
    lately: Estimate
    is_away: bool


def anchored(differences: Sequence[float]) -> Anchored:
    """Return what (n,) differences of anchors from their references say, in the order of submission."""
    values = np.asarray(differences, dtype=np.float64)
    lately = _mean(values[-RECENT:])
    return Anchored(len(values), _mean(values), lately, len(values) >= FEWEST and _is_away(lately))


def _mean(values: Floats) -> Estimate:
    if not len(values):
        return refused(NO_ANCHORS, n_units=0, n_coders=1, method=T_INTERVAL)
    (found,) = mean_estimates(
        grouped(values, np.zeros(len(values), dtype=np.int64), 1), np.ones(1, dtype=np.int64)
    )
    return found


def _is_away(mean: Estimate) -> bool:
    """Return whether a mean lies away from 0; one of equal differences has no interval."""
    value, low, high = mean["value"], mean["low"], mean["high"]
    if low is not None and high is not None:
        return low > 0 or high < 0
    return value is not None and abs(value) > SAME

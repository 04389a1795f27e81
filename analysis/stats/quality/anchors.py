"""Differences from references: over all of an annotator's anchors, and lately.

Lately an annotator is away from the references if the mean difference of their last `RECENT` anchors differs
from 0 by Student's t-test at `LEVEL`. The level is strict because the test is made anew at each anchor.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy import stats

from analysis.stats.estimates import Estimate, refused
from analysis.stats.frames import Floats
from analysis.stats.means import SAME, T_INTERVAL, grouped, mean_estimates

FEWEST: Final = 8
"""Anchors that a verdict needs."""
RECENT: Final = 10
LEVEL: Final = 0.005
NO_ANCHORS: Final = "no anchors"


@dataclass(frozen=True)
class Anchored:
    """The mean difference from references `overall` and `lately`, with 95% intervals.

    `is_away`: whether the last differences lie on one side of 0 by more than chance explains.
    """

    anchors: int
    overall: Estimate
    lately: Estimate
    is_away: bool


def anchored(differences: Sequence[float]) -> Anchored:
    """Return what (n,) differences of anchors from their references say, in the order of submission."""
    values = np.asarray(differences, dtype=np.float64)
    recent = values[-RECENT:]
    return Anchored(len(values), _mean(values), _mean(recent), _is_away(recent))


def _mean(values: Floats) -> Estimate:
    if not len(values):
        return refused(NO_ANCHORS, n_units=0, n_coders=1, method=T_INTERVAL)
    (found,) = mean_estimates(
        grouped(values, np.zeros(len(values), dtype=np.int64), 1), np.ones(1, dtype=np.int64)
    )
    return found


def _is_away(values: Floats) -> bool:
    """Return whether at least `FEWEST` values differ from 0; equal ones do unless they are 0."""
    n = len(values)
    if n < FEWEST:
        return False
    mean, error = abs(float(values.mean())), float(values.std(ddof=1)) / n**0.5
    return bool(mean > max(SAME, error * float(stats.t.ppf(1 - LEVEL / 2, n - 1))))

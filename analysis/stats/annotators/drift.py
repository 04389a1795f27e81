"""Drift: whether an annotator's scores rise or fall over time."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from analysis.stats.agreement.groups import NO_TIMES
from analysis.stats.bootstrap_intervals import FEWEST, estimated, too_few
from analysis.stats.frames import Floats, Ints

STEP: Final = 10
THIRDS: Final = 3
ALL_AT_ONCE: Final = "no slope"


def drift(scores: Floats, submitted: Ints) -> dict[str, Any]:
    """Return the least-squares slope of the score per `STEP` images, and the means of three thirds.

    Both are (images,) of one annotator; annotations without a time are left out. Resampled images keep their
    position in the order.
    """
    known = submitted >= 0
    if not known.any():
        return {"images": 0, "slope": None, "thirds": [], "refused": NO_TIMES}
    ordered = scores[known][np.argsort(submitted[known], kind="stable")]
    n = len(ordered)
    if n < THIRDS * FEWEST:
        return {"images": n, "slope": None, "thirds": [], "refused": too_few(n)}
    place = (np.arange(n) - (n - 1) / 2) / STEP
    centred = ordered - ordered.mean()
    sums = np.column_stack([np.ones(n), place, centred, place * centred, place * place])
    (slope,) = estimated(sums, _slope, n_coders=1, undefined=ALL_AT_ONCE)
    thirds = [_mean(third) for third in np.array_split(ordered, THIRDS)]
    return {"images": n, "slope": slope, "thirds": thirds, "refused": None}


def _slope(totals: Floats) -> Floats:
    n, x, y, xy, xx = np.moveaxis(totals, -1, 0)
    spread = n * xx - x * x
    with np.errstate(all="ignore"):
        return np.asarray(np.where(spread > 0, (n * xy - x * y) / spread, np.nan))[..., None]


def _mean(values: Floats) -> Any:
    sums = np.column_stack([np.ones(len(values)), values])
    return estimated(sums, lambda totals: totals[..., 1:] / totals[..., :1], n_coders=1, undefined="")[0]

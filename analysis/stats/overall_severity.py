"""Overall severity: low, medium or high among an annotator's own cumulative scores.

Muhr et al. (2024): low <= q50 < medium <= q75 < high, with linearly interpolated quantiles. The *population*
of scores for the quantiles changes the bands and hence the agreement, so every such number must state it.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from analysis.stats.frames import Floats, Ints

BANDS: Final = ("low", "medium", "high")
QUANTILES: Final = (0.5, 0.75)
FEWEST_FOR_BANDS: Final = 8
"""Scores below which quantiles say little."""
UNKNOWN: Final = -1


def group_quantiles(values: Floats, groups: Ints, quantile: float) -> Floats:
    """Return (groups,): the quantile of each group's values, linearly interpolated.

    Type 7 of Hyndman and Fan (1996). `groups` is (n,) without gaps from 0. Equal to `numpy.quantile` of each
    group to the last bit, because scores are compared with it; one sort instead of a pass per group.
    """
    order = np.lexsort((values, groups))
    ordered, sizes = values[order], np.bincount(groups)
    place = (sizes - 1) * quantile
    below = np.floor(place).astype(np.int64)
    start = np.cumsum(sizes) - sizes
    low = ordered[start + below]
    high = ordered[start + np.minimum(below + 1, sizes - 1)]
    share = place - below
    # Interpolate from the nearer end, as numpy does.
    return np.asarray(np.where(share < 0.5, low + (high - low) * share, high - (high - low) * (1 - share)))


def severity_bands(values: Floats, groups: Ints) -> Ints:
    """Return (n,): 0 low, 1 medium, 2 high, each value within its own group's values."""
    if not len(values):
        return np.zeros(0, dtype=np.int64)
    used = np.unique(groups, return_inverse=True)[1]
    median, upper = (group_quantiles(values, used, quantile)[used] for quantile in QUANTILES)
    return (values > median).astype(np.int64) + (values > upper)


def certain_bands(values: Floats, groups: Ints) -> tuple[Ints, Ints]:
    """Return (n,) bands, `UNKNOWN` in groups below `FEWEST_FOR_BANDS`, and (n,) sizes of the groups."""
    sizes = np.bincount(groups)[groups] if len(groups) else np.zeros(0, dtype=np.int64)
    return np.where(sizes >= FEWEST_FOR_BANDS, severity_bands(values, groups), UNKNOWN), sizes


def too_few_scores(scores: int) -> str:
    """Return the reason for no agreement on bands that are cut from so few scores."""
    return f"bands cut from {scores} scores; at least {FEWEST_FOR_BANDS} are needed"

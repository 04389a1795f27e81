"""Spearman's rank correlation of two measures of the same images, with its interval."""

from __future__ import annotations

from typing import Final

import numpy as np

from analysis.stats.estimates import Estimate, estimate, refused
from analysis.stats.frames import Floats, Ints
from analysis.stats.resampling import (
    BLOCKS,
    BOOTSTRAP_FROM,
    NONE,
    REPLICATES,
    SEED,
    bootstrapped,
    in_blocks,
    too_few,
)

NO_SPREAD: Final = "all values are equal"


def midranks(codes: Ints, weights: Floats) -> Floats:
    """Return (n,) ranks of values given as codes 0, 1, … in ascending order; equal values share the middle.

    A value of weight 2 counts as two equal ones.
    """
    counts = np.bincount(codes, weights)
    return np.asarray((np.cumsum(counts) - counts / 2 + 0.5)[codes])


def spearman(first: Floats, second: Floats, n_coders: int) -> Estimate:
    """Return Spearman's rho of (n,) and (n,) values by image, with a 95% interval over images.

    Rho is Pearson's correlation of midranks (C. Spearman, American Journal of Psychology 15 (1904) 72-101).
    Every resample of images is ranked again; see `analysis.stats.resampling` for the interval.
    """
    n = len(first)
    if n < BOOTSTRAP_FROM:
        return refused(too_few(n), n_units=n, n_coders=n_coders, method=NONE)
    one, two = (np.unique(values, return_inverse=True)[1] for values in (first, second))
    value = _weighted(one, two, np.ones(n))
    if np.isnan(value):
        return refused(NO_SPREAD, n_units=n, n_coders=n_coders, method=NONE)
    block, units = in_blocks(n), min(n, BLOCKS)
    rng = np.random.default_rng([SEED, n, units])
    drawn = rng.multinomial(units, np.full(units, 1 / units), size=REPLICATES).astype(np.float64)
    found = np.array([[_weighted(one, two, weights[block])] for weights in drawn])
    without = np.array([[_weighted(one, two, np.where(block == each, 0.0, 1.0))] for each in range(units)])
    low, high, method, (problem,) = bootstrapped(np.array([value]), found, without)
    if problem:
        return refused(problem, value=value, n_units=n, n_coders=n_coders, method=method)
    return estimate(value, low[0], high[0], n_units=n, n_coders=n_coders, method=method)


def _weighted(first: Ints, second: Ints, weights: Floats) -> float:
    """Return rho of values given as codes, each repeated by its weight; NaN if either does not vary."""
    # Midranks have the mean (N + 1)/2.
    middle = (weights.sum() + 1) / 2
    one, two = midranks(first, weights) - middle, midranks(second, weights) - middle
    spread = float((weights * one * one).sum() * (weights * two * two).sum())
    return float((weights * one * two).sum()) / spread**0.5 if spread > 0 else float("nan")

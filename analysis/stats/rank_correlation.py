"""Spearman's rank correlation of two measures of the same images, with its interval."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from analysis.stats.bootstrap_intervals import (
    BLOCKS,
    NONE,
    REPLICATES,
    SEED,
    bootstrapped,
    estimated,
    in_blocks,
)
from analysis.stats.estimates import Estimate, estimate, refused
from analysis.stats.fewest_images import BOOTSTRAP_FROM, too_few
from analysis.stats.frames import Floats, Ints

NO_SPREAD: Final = "all values are equal"
DECIMALS: Final = 9


def without_noise(values: Floats) -> Floats:
    """Return (n,) values rounded to 9 decimals of the largest one's order of magnitude.

    Means of the same annotations in another order differ in their last bits, which would break ties.
    """
    largest = float(np.abs(values).max(initial=0.0))
    if not largest:
        return values
    scale = 10.0 ** math.floor(math.log10(largest))
    return np.asarray(np.round(values / scale, DECIMALS) * scale)


def ordered_codes(values: Floats) -> Ints:
    """Return (n,) codes 0, 1, … of values in ascending order, equal ones alike; see `without_noise`."""
    return np.unique(without_noise(values), return_inverse=True)[1]


def midranks(codes: Ints, weights: Floats) -> Floats:
    """Return (n,) ranks of values given as codes 0, 1, … in ascending order; equal values share the middle.

    A value of weight 2 counts as two equal ones.
    """
    counts = np.bincount(codes, weights)
    return np.asarray((np.cumsum(counts) - counts / 2 + 0.5)[codes])


def spearman(first: Floats, second: Floats, n_coders: int) -> Estimate:
    """Return Spearman's rho of (n,) and (n,) values, one of each image, with a 95% interval over images.

    Rho is Pearson's correlation of midranks (C. Spearman, American Journal of Psychology 15 (1904) 72-101).
    Every resample of up to `BLOCKS` images is ranked again, of more to first order; see `_projected`, and
    `analysis.stats.bootstrap_intervals` for the interval.
    """
    n = len(first)
    if n < BOOTSTRAP_FROM:
        return refused(too_few(n, BOOTSTRAP_FROM), n_units=n, n_coders=n_coders, method=NONE)
    ranks, two = ordered_codes(first), ordered_codes(second)
    value = _weighted(ranks, two, np.ones(n))
    if np.isnan(value):
        return refused(NO_SPREAD, n_units=n, n_coders=n_coders, method=NONE)
    if n > BLOCKS:
        rows = _projected(ranks, two, in_blocks(n))
        return estimated(
            rows, _of_projected, n_coders=n_coders, undefined=NO_SPREAD, n_units=n, values=[value]
        )[0]
    rng = np.random.default_rng([SEED, n, n])
    drawn = rng.multinomial(n, np.full(n, 1 / n), size=REPLICATES).astype(np.float64)
    resampled = np.array([[_weighted(ranks, two, weights)] for weights in drawn])
    without = np.array([[_weighted(ranks, two, weights)] for weights in 1 - np.eye(n)])
    low, high, method, (problem,), (error,) = bootstrapped(np.array([value]), resampled, without)
    if problem:
        return refused(problem, value=value, n_units=n, n_coders=n_coders, method=method)
    return estimate(value, low[0], high[0], n_units=n, n_coders=n_coders, method=method, error=error)


def _projected(first: Ints, second: Ints, block: Ints) -> Floats:
    """Return (blocks, 4) sums of (n,) codes: 1, u², v² and u v of ranks u, v that follow a resample.

    u and v are midranks as shares of n, centred. A resample ranks its values anew; what each value more does
    to the ranks of the others is added to its own term (the projection of a rank statistic: W. Hoeffding, "A
    class of statistics with asymptotically normal distribution", Annals of Mathematical Statistics 19 (1948)
    293-325). So no resample is sorted.
    """
    every = np.ones(len(first))
    u, v = ((midranks(codes, every) - 0.5) / len(first) - 0.5 for codes in (first, second))
    columns = (
        every,
        u * u + 2 * (_above(first, u) - (u * u).mean()),
        v * v + 2 * (_above(second, v) - (v * v).mean()),
        u * v + _above(first, v) + _above(second, u) - 2 * (u * v).mean(),
    )
    return np.stack([np.bincount(block, column) for column in columns], axis=1)


def _above(codes: Ints, weights: Floats) -> Floats:
    """Return (n,): the sum of the weights of larger values over n, equal values counting half."""
    own = np.bincount(codes, weights)
    return np.asarray((own.sum() - np.cumsum(own) + own / 2)[codes] / len(codes))


def _of_projected(totals: Floats) -> Floats:
    """Return (…, 1): rho from (…, 4) totals."""
    _, uu, vv, uv = np.moveaxis(totals, -1, 0)
    with np.errstate(all="ignore"):
        return np.asarray(uv / np.sqrt(uu * vv))[..., None]


def _weighted(first: Ints, second: Ints, weights: Floats) -> float:
    """Return rho of values given as codes, each repeated by its weight; NaN if either does not vary."""
    # Midranks have the mean (N + 1)/2.
    middle = (weights.sum() + 1) / 2
    ranks, two = midranks(first, weights) - middle, midranks(second, weights) - middle
    spread = float((weights * ranks * ranks).sum() * (weights * two * two).sum())
    return float((weights * ranks * two).sum()) / spread**0.5 if spread > 0 else float("nan")

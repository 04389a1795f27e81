"""Intervals of statistics of sums over images, by resampling whole images.

Annotations of one image are not independent, so they stay together: each image is a row of sums ("sufficient
statistics"), a resample is a weighting of the rows, and the statistic is computed from the weighted total.
From 7 images on: percentile bootstrap (B. Efron, R. J. Tibshirani, "An Introduction to
the Bootstrap", 1993, chapter 13) with the percentiles moved outwards for small samples (T. C. Hesterberg,
"What teachers should know about the bootstrap", The American Statistician 69 (2015) 371-386). Below:
jackknife standard error (Efron and Tibshirani, chapter 11) with Student's t, n - 1 degrees of freedom. More
images than `BLOCKS` are assigned at random to blocks of equal size (one more or less) and whole blocks are
resampled: blocks of independent images are independent too, the statistic has the same sampling variance,
and the cost no longer grows with the study.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from scipy import stats

from analysis.stats.estimates import CONFIDENCE, Estimate, estimate, refused
from analysis.stats.frames import Floats, Ints

SEED: Final = 20240821
REPLICATES: Final = 2000
FEWEST: Final = 5
BOOTSTRAP_FROM: Final = 7
BLOCKS: Final = 500
# Some resamples have no value (all values equal); with more of them than this, the interval is refused.
UNDEFINED_SHARE: Final = 0.05

BOOTSTRAP: Final = "expanded percentile bootstrap over images"
JACKKNIFE: Final = "jackknife over images"
NONE: Final = "none"

# Reasons for a missing interval.
NEVER_VARIES: Final = "every resample of the images gives the same number"
OFTEN_UNDEFINED: Final = "too many resamples of the images have no value"
HANGS_ON_ONE: Final = "it hangs on a single image: without it there is no value"

Statistic = Callable[[Floats], Floats]
"""(…, k) totals -> (…, e) values, NaN if undefined."""

Bound = float | Floats
"""A bound of possible values: one, or (e,)."""


class Interval(NamedTuple):
    """(e,) limits, NaN if undefined; `problems` holds e reasons, empty for defined intervals."""

    low: Floats
    high: Floats
    method: str
    problems: list[str]


def too_few(images: int) -> str:
    """Return the reason for no number with so few images."""
    return f"too few: {images} image{'' if images == 1 else 's'}"


def in_blocks(units: int) -> Ints:
    """Return (units,): the block of each unit; as many blocks as units up to `BLOCKS`."""
    if units <= BLOCKS:
        return np.arange(units)
    return np.random.default_rng([SEED, units]).permutation(units) % BLOCKS


def blocked(rows: Floats) -> Floats:
    """Return (blocks, k): (units, k) rows summed block by block; the rows themselves where they are few."""
    if len(rows) <= BLOCKS:
        return rows
    order = np.argsort(in_blocks(len(rows)), kind="stable")
    sizes = np.full(BLOCKS, len(rows) // BLOCKS) + (np.arange(BLOCKS) < len(rows) % BLOCKS)
    return np.asarray(np.add.reduceat(rows[order], np.cumsum(sizes) - sizes, axis=0))


@lru_cache(maxsize=4)
def _weightings(units: int) -> Floats:
    """Return (REPLICATES, units): how often each resample contains each unit, a multinomial draw per row."""
    rng = np.random.default_rng([SEED, units])
    drawn = rng.integers(0, units, size=(REPLICATES, units))
    drawn += np.arange(REPLICATES)[:, None] * units
    counts = np.bincount(drawn.ravel(), minlength=REPLICATES * units).reshape(REPLICATES, units)
    weightings = counts.astype(np.float64)
    weightings.flags.writeable = False
    return weightings


def replicates(rows: Floats, statistic: Statistic) -> Floats:
    """Return (REPLICATES, e): the statistic of resamples of (units, k) rows."""
    return statistic(_weightings(len(rows)) @ rows)


def left_out(rows: Floats, statistic: Statistic) -> Floats:
    """Return (units, e): the statistic without each unit in turn."""
    return statistic(rows.sum(axis=0) - rows)


def standard_errors(rows: Floats, statistic: Statistic) -> Floats:
    """Return (e,): jackknife standard errors, NaN where leaving one unit out leaves no value."""
    values, n = left_out(rows, statistic), len(rows)
    return np.asarray(np.sqrt((n - 1) / n * ((values - values.mean(axis=0)) ** 2).sum(axis=0)))


def intervals(
    rows: Floats, statistic: Statistic, *, lowest: Bound = -np.inf, highest: Bound = np.inf
) -> Interval:
    """Return 95 % intervals of a statistic of at least two (units, k) rows, within the possible values.

    `lowest` and `highest` are the bounds of possible values, one or (e,).
    """
    units = len(rows)
    if units < BOOTSTRAP_FROM:
        return _jackknifed(rows, statistic, lowest, highest)
    resampled = blocked(rows)
    found, tail = np.sort(replicates(resampled, statistic), axis=0), expanded_tail(len(resampled))
    low, high, problems = [], [], []
    for column in np.moveaxis(found, 1, 0):
        values = column[~np.isnan(column)]
        limits, problem = _percentiles(values, len(column), tail)
        low.append(limits[0])
        high.append(limits[1])
        problems.append(problem)
    return Interval(np.array(low), np.array(high), BOOTSTRAP, problems)


@lru_cache(maxsize=1024)
def expanded_tail(units: int) -> float:
    """Return the share of resamples outside each limit: 0.025 for many units, less for few.

    Φ(√(n/(n − 1)) · t), t the 0.025 quantile of Student's t with n − 1 degrees of freedom. Resamples vary
    less than samples, by n/(n − 1), and a spread estimated from few units is less certain than a normal
    quantile allows; for a mean of normal values this gives Student's interval.
    """
    quantile = float(stats.t.ppf((1 - CONFIDENCE) / 2, units - 1))
    return float(stats.norm.cdf(math.sqrt(units / (units - 1)) * quantile))


def _percentiles(values: Floats, drawn: int, tail: float) -> tuple[tuple[float, float], str]:
    """Return the limits of sorted values, and why there are none if too many of `drawn` are missing."""
    nothing = (np.nan, np.nan)
    if len(values) < (1 - UNDEFINED_SHARE) * drawn:
        return nothing, OFTEN_UNDEFINED
    low, high = (_quantile(values, share) for share in (tail, 1 - tail))
    if high - low <= 1e-12 * max(1.0, abs(high)):
        return nothing, NEVER_VARIES
    return (low, high), ""


def _quantile(values: Floats, share: float) -> float:
    """Return a quantile by linear interpolation of sorted values (type 7), without numpy's second sort."""
    place = (len(values) - 1) * share
    below = int(place)
    step = values[min(below + 1, len(values) - 1)] - values[below]
    return float(values[below] + (place - below) * step)


def _jackknifed(rows: Floats, statistic: Statistic, lowest: Bound, highest: Bound) -> Interval:
    value, errors = statistic(rows.sum(axis=0)), standard_errors(rows, statistic)
    reach = float(stats.t.ppf((1 + CONFIDENCE) / 2, len(rows) - 1)) * errors
    problems = [_jackknife_problem(error) for error in errors.tolist()]
    there = np.array([not problem for problem in problems])
    low = np.where(there, np.maximum(value - reach, lowest), np.nan)
    high = np.where(there, np.minimum(value + reach, highest), np.nan)
    return Interval(low, high, JACKKNIFE, problems)


def _jackknife_problem(error: float) -> str:
    if np.isnan(error):
        return HANGS_ON_ONE
    return "" if error > 1e-12 else NEVER_VARIES


def estimated(
    rows: Floats,
    statistic: Statistic,
    *,
    n_coders: int,
    undefined: str | Sequence[str],
    n_units: int | None = None,
    values: Sequence[float] | None = None,
    lowest: Bound = -np.inf,
    highest: Bound = np.inf,
) -> list[Estimate]:
    """Return e estimates of a statistic of (units, k) rows, each with interval or the reason for none.

    `undefined` is the reason for a missing value, one or e of them. `n_units` is the number of images if rows
    are blocks of them. `values` are the e values if computed elsewhere.
    """
    units = len(rows) if n_units is None else n_units
    values = statistic(rows.sum(axis=0)).tolist() if values is None else values
    reasons = [undefined] * len(values) if isinstance(undefined, str) else list(undefined)
    if units < FEWEST:
        return [refused(too_few(units), n_units=units, n_coders=n_coders, method=NONE) for _ in reasons]
    found = intervals(rows, statistic, lowest=lowest, highest=highest)
    return [
        _estimate(value, found, place, units, n_coders, reasons[place]) for place, value in enumerate(values)
    ]


def _estimate(
    value: float, found: Interval, place: int, units: int, n_coders: int, undefined: str
) -> Estimate:
    if np.isnan(value):
        return refused(undefined, n_units=units, n_coders=n_coders, method=NONE)
    if found.problems[place]:
        return refused(
            found.problems[place], value=value, n_units=units, n_coders=n_coders, method=found.method
        )
    low, high = float(found.low[place]), float(found.high[place])
    return estimate(value, low, high, n_units=units, n_coders=n_coders, method=found.method)

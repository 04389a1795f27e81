"""Intervals of statistics of sums over images, by resampling whole images.

Annotations of one image are not independent, so they stay together: each image is a row of sums ("sufficient
statistics"), a resample is a weighting of the rows, and the statistic is computed from the weighted total.
From 7 images on: bias-corrected and accelerated (BCa) bootstrap (B. Efron, "Better bootstrap confidence
intervals", Journal of the American Statistical Association 82 (1987) 171-185) from percentiles that lie
further out the less a spread can be trusted (T. C. Hesterberg, "What teachers should know about the
bootstrap", The American Statistician 69 (2015) 371-386; see `effective_df`). Below: jackknife standard error
(B. Efron, R. J. Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 11) with Student's t, n - 1
degrees of freedom. More images than `BLOCKS` are assigned at random to blocks of equal size (one more or
less) and whole blocks are resampled: blocks of independent images are independent too, the statistic has the
same sampling variance, and the cost no longer grows with the study.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from scipy import special, stats

from analysis.stats.estimates import CONFIDENCE, Estimate, estimate, refused
from analysis.stats.fewest_images import BOOTSTRAP_FROM, FEWEST, too_few
from analysis.stats.frames import Floats, Ints

SEED: Final = 20240821
REPLICATES: Final = 2000
BLOCKS: Final = 500
# Some resamples have no value (all values equal); with more of them than this, the interval is refused.
UNDEFINED_SHARE: Final = 0.05

BOOTSTRAP: Final = "expanded BCa bootstrap over images"
JACKKNIFE: Final = "jackknife over images"
NONE: Final = "none"

# Reasons for a missing interval.
NEVER_VARIES: Final = "every resample of the images gives the same number"
OFTEN_UNDEFINED: Final = "too many resamples of the images have no value"
HANGS_ON_ONE: Final = "it depends on a single image"

Statistic = Callable[[Floats], Floats]
"""(…, k) totals -> (…, e) values, NaN or infinite if undefined."""

Bound = float | Floats
"""A bound of possible values: one, or (e,)."""


class Interval(NamedTuple):
    """(e,) limits, NaN if undefined; `problems` holds e reasons, empty for defined intervals.

    `errors` are e Monte Carlo standard errors of the less certain limit.
    """

    low: Floats
    high: Floats
    method: str
    problems: list[str]
    errors: list[float]


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
    """Return (REPLICATES, e): the statistic of resamples of (units, k) rows, NaN where undefined."""
    return _defined(statistic(_weightings(len(rows)) @ rows))


def left_out(rows: Floats, statistic: Statistic) -> Floats:
    """Return (units, e): the statistic without each unit in turn, NaN where undefined."""
    return _defined(statistic(rows.sum(axis=0) - rows))


def _defined(values: Floats) -> Floats:
    """Return the values with NaN for infinite ones, which have no interval and no place in JSON either."""
    return np.where(np.isfinite(values), values, np.nan)


def standard_errors(rows: Floats, statistic: Statistic) -> Floats:
    """Return (e,): jackknife standard errors, NaN where leaving one unit out leaves no value."""
    values, n = left_out(rows, statistic), len(rows)
    return np.asarray(np.sqrt((n - 1) / n * ((values - values.mean(axis=0)) ** 2).sum(axis=0)))


def intervals(
    rows: Floats, statistic: Statistic, *, lowest: Bound = -np.inf, highest: Bound = np.inf
) -> Interval:
    """Return 95% intervals of a statistic of at least two (units, k) rows, within the possible values.

    `lowest` and `highest` are the bounds of possible values, one or (e,).
    """
    units = len(rows)
    if units < BOOTSTRAP_FROM:
        return _jackknifed(rows, statistic, lowest, highest)
    resampled = blocked(rows)
    return bootstrapped(
        _defined(statistic(resampled.sum(axis=0))),
        replicates(resampled, statistic),
        left_out(resampled, statistic),
    )


def bootstrapped(values: Floats, found: Floats, without: Floats) -> Interval:
    """Return intervals of (e,) values, from (replicates, e) of resamples and (units, e) without one unit."""
    ordered, df, acceleration = np.sort(found, axis=0), effective_df(without), _accelerations(without)
    low, high, problems, errors = [], [], [], []
    for place, value in enumerate(values.tolist()):
        column = ordered[:, place]
        known = column[~np.isnan(column)]
        tail = expanded_tail(len(without), float(df[place]))
        shares = _shares(known, value, tail, float(acceleration[place]))
        limits, problem = _limits(known, len(column), shares)
        low.append(limits[0])
        high.append(limits[1])
        problems.append(problem)
        errors.append(0.0 if problem else max(_monte_carlo_error(known, value, share) for share in shares))
    return Interval(np.array(low), np.array(high), BOOTSTRAP, problems, errors)


def effective_df(without: Floats) -> Floats:
    """Return (e,): the degrees of freedom of jackknife variances, from (units, e) values without one unit.

    The variance of n values of kurtosis k varies by (k - (n - 3)/(n - 1))/n of its square (J. F. Kenney,
    E. S. Keeping, "Mathematics of Statistics", part 2, 1951, p. 164). A χ² distribution that varies as much
    has 2n / (k - (n - 3)/(n - 1)) degrees of freedom (F. E. Satterthwaite, Biometrics Bulletin 2 (1946)
    110-114): n - 1 if the values are normal, and fewer, at least 2, if the number rests on few of the images.
    """
    n = len(without)
    away = without - without.mean(axis=0)
    squares = (away**2).sum(axis=0)
    with np.errstate(all="ignore"):
        kurtosis = n * (away**4).sum(axis=0) / squares**2
        df = 2 * n / (kurtosis - (n - 3) / (n - 1))
    return np.where(np.isfinite(df) & (df > 0), np.clip(df, min(2, n - 1), n - 1), n - 1)


def _accelerations(without: Floats) -> Floats:
    """Return (e,): Efron's acceleration from (units, e) values without one unit; 0 where nothing varies."""
    away = without.mean(axis=0) - without
    with np.errstate(all="ignore"):
        accelerations = (away**3).sum(axis=0) / (6 * (away**2).sum(axis=0) ** 1.5)
    return np.where(np.isfinite(accelerations), accelerations, 0.0)


def expanded_tail(units: int, df: float | None = None) -> float:
    """Return the share of resamples outside each limit: 0.025 for many units, less for few.

    Φ(√(n/(n − 1)) · t), t the 0.025 quantile of Student's t with `df` degrees of freedom, by default n − 1.
    Resamples vary less than samples, by n/(n − 1), and a spread estimated from few units is less certain than
    a normal quantile allows; for a mean of normal values this gives Student's interval.
    """
    quantile = float(special.stdtrit(units - 1 if df is None else df, (1 - CONFIDENCE) / 2))
    return float(special.ndtr(math.sqrt(units / (units - 1)) * quantile))


def _shares(ordered: Floats, value: float, tail: float, acceleration: float) -> tuple[float, float]:
    """Return the shares of sorted resamples below the two limits: Efron (1987), equation 3.9.

    Resamples equal to the value count half.
    """
    if not len(ordered) or math.isnan(value):
        return tail, 1 - tail
    bias = float(special.ndtri(_below(ordered, value)))
    low, high = (_corrected(bias, side * float(special.ndtri(tail)), acceleration) for side in (1, -1))
    return low, high


def _below(ordered: Floats, value: float) -> float:
    """Return the share of sorted resamples below the value, at least half a resample from 0 and 1."""
    near = 1e-12 * max(1.0, abs(value))
    below = (np.searchsorted(ordered, value - near) + np.searchsorted(ordered, value + near)) / 2
    half = 0.5 / len(ordered)
    return float(min(max(below / len(ordered), half), 1 - half))


def _monte_carlo_error(ordered: Floats, value: float, share: float) -> float:
    """Return the standard error over resampling of the limit with this share of sorted resamples below it.

    On the normal scale a limit moves by the error of the quantile, and twice by that of the bias correction;
    both come from one empirical distribution, whose values at shares p < q covary by p (1 - q) / replicates.
    """
    n = len(ordered)
    share, below = (min(max(part, 0.5 / n), 1 - 0.5 / n) for part in (share, _below(ordered, value)))
    place, bias = float(special.ndtri(share)), float(special.ndtri(below))
    density, of_bias = (math.exp(-(at**2) / 2) / math.sqrt(2 * math.pi) for at in (place, bias))
    variance = share * (1 - share) / density**2 + 4 * below * (1 - below) / of_bias**2
    variance -= 4 * min(share, below) * (1 - max(share, below)) / (density * of_bias)
    moved = math.sqrt(max(variance, 0.0) / n)
    low, high = (_quantile(ordered, float(special.ndtr(place + side * moved))) for side in (-1, 1))
    return (high - low) / 2


def _corrected(bias: float, quantile: float, acceleration: float) -> float:
    moved = bias + quantile
    slope = 1 - acceleration * moved
    # Beyond the pole of the formula lies the end of the distribution.
    return float(special.ndtr(bias + moved / slope)) if slope > 0 else float(moved > 0)


def _limits(ordered: Floats, drawn: int, shares: tuple[float, float]) -> tuple[tuple[float, float], str]:
    """Return the limits among sorted values, and why there are none if too many of `drawn` are missing."""
    nothing = (np.nan, np.nan)
    if len(ordered) < (1 - UNDEFINED_SHARE) * drawn:
        return nothing, OFTEN_UNDEFINED
    if ordered[-1] - ordered[0] <= 1e-12 * max(1.0, abs(ordered[-1])):
        return nothing, NEVER_VARIES
    low, high = (_quantile(ordered, share) for share in shares)
    return (low, high), ""


def _quantile(values: Floats, share: float) -> float:
    """Return a quantile by linear interpolation of sorted values (type 7), without numpy's second sort."""
    place = (len(values) - 1) * share
    below = int(place)
    step = values[min(below + 1, len(values) - 1)] - values[below]
    return float(values[below] + (place - below) * step)


def _jackknifed(rows: Floats, statistic: Statistic, lowest: Bound, highest: Bound) -> Interval:
    value, errors = _defined(statistic(rows.sum(axis=0))), standard_errors(rows, statistic)
    reach = float(stats.t.ppf((1 + CONFIDENCE) / 2, len(rows) - 1)) * errors
    problems = [_jackknife_problem(error) for error in errors.tolist()]
    there = np.array([not problem for problem in problems])
    low = np.where(there, np.maximum(value - reach, lowest), np.nan)
    high = np.where(there, np.minimum(value + reach, highest), np.nan)
    return Interval(low, high, JACKKNIFE, problems, [0.0] * len(problems))


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
    values = _defined(statistic(rows.sum(axis=0))).tolist() if values is None else values
    reasons = [undefined] * len(values) if isinstance(undefined, str) else list(undefined)
    if units < FEWEST:
        return [refused(too_few(units), n_units=units, n_coders=n_coders, method=NONE) for _ in reasons]
    limits = intervals(rows, statistic, lowest=lowest, highest=highest)
    return [
        _estimate(value, limits, place, units, n_coders, reasons[place]) for place, value in enumerate(values)
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
    error = found.errors[place]
    return estimate(value, low, high, n_units=units, n_coders=n_coders, method=found.method, error=error)

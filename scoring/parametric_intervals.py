"""Parametric confidence intervals of a share and of a mean, with the standard library alone.

Pages of the web process show them, and the numeric packages are kept out of it.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from math import exp, lgamma, log, sqrt
from statistics import variance
from typing import Final

LEVEL: Final = 0.95
Interval = tuple[float, float]

_TINY: Final = 1e-300
_STEPS: Final = 500


def clopper_pearson(successes: int, trials: int) -> Interval | None:
    """Return the exact interval of a share; None without trials.

    Source: C. J. Clopper, E. S. Pearson (1934), The use of confidence or fiducial limits illustrated in the
    case of the binomial, Biometrika 26(4), 404-413, by quantiles of the beta distribution. Raises ValueError
    unless 0 <= successes <= trials.
    """
    if not 0 <= successes <= trials:
        raise ValueError(f"{successes} of {trials} is not a share")
    if not trials:
        return None
    tail, failures = (1 - LEVEL) / 2, trials - successes
    low = beta_quantile(tail, successes, failures + 1) if successes else 0.0
    high = beta_quantile(1 - tail, successes + 1, failures) if failures else 1.0
    return low, high


def mean_interval(values: Sequence[Fraction]) -> Interval | None:
    """Return the interval of the mean by Student's t distribution; None for fewer than two values.

    Source: Student (1908), The probable error of a mean, Biometrika 6(1), 1-25.
    """
    if len(values) < 2:
        return None
    middle = float(sum(values) / len(values))
    half = student_quantile(LEVEL, len(values) - 1) * sqrt(variance(values) / len(values))
    return middle - half, middle + half


@lru_cache
def student_quantile(level: float, freedom: int) -> float:
    """Return t with P(|T| <= t) = level, for T with `freedom` degrees of freedom."""
    share = beta_quantile(1 - level, freedom / 2, 0.5)
    return sqrt(freedom * (1 - share) / share)


def beta_quantile(probability: float, a: float, b: float) -> float:
    """Return x with P(X <= x) = probability, for X of the beta distribution with a and b, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if beta_probability(middle, a, b) < probability:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def beta_probability(x: float, a: float, b: float) -> float:
    """Return P(X <= x) for X of the beta distribution: the regularised incomplete beta function.

    Source: M. Abramowitz, I. A. Stegun (1964), Handbook of Mathematical Functions, 26.5.8, evaluated by the
    modified method of Lentz.
    """
    if x <= 0 or x >= 1:
        return float(x >= 1)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(1 - x))
    if x < (a + 1) / (a + b + 2):  # where the fraction converges fast
        return front * _continued(x, a, b) / a
    return 1 - front * _continued(1 - x, b, a) / b


def _continued(x: float, a: float, b: float) -> float:
    """Return the continued fraction of the incomplete beta function, 1 / (1 + d1 / (1 + d2 / ...))."""

    def term(m: int, odd: bool) -> float:
        if odd:
            return -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        return m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))

    return 1 / _lentz(term)


def _lentz(term: Callable[[int, bool], float]) -> float:
    value = above = 1.0
    below = 0.0
    for step in range(1, 2 * _STEPS):
        d = term(step // 2, step % 2 == 1)
        below = 1 / (1 + d * below or _TINY)
        above = 1 + d / above or _TINY
        value *= above * below
        if abs(above * below - 1) < 1e-15:
            break
    return value

"""Welch's test of two means with unequal variances, and t tests of several pairs.

B. L. Welch, "The generalization of 'Student's' problem when several different population variances are
involved", Biometrika 34 (1947) 28-35; degrees of freedom by the Welch-Satterthwaite equation. Correction for
several tests: S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of
Statistics 6 (1979) 65-70.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import Any, Final, NamedTuple

from scipy import stats

from analysis.stats.estimates import CONFIDENCE, Range, cut, estimate, refused
from analysis.stats.means import Groups

Test = dict[str, Any]
"""`difference` with its interval, t, df and two-sided p; without a test these are None."""
WELCH: Final = "Welch"
NO_VARIANCE: Final = "no variance on either side"
TOO_FEW: Final = "fewer than 2 scores on one side"


class Sample(NamedTuple):
    """Size, mean and sample variance."""

    n: int
    mean: float
    variance: float


def welch_of(labels: Sequence[str], groups: Groups, limits: Range) -> list[Test]:
    """Return the tests of every two groups of scores of a scale with these limits, by name, with Holm's p."""
    samples = [
        Sample(int(n), float(mean), float(variance))
        for n, mean, variance in zip(groups.n, groups.mean, groups.variance, strict=True)
    ]
    pairs = combinations(zip(labels, samples, strict=True), 2)
    return corrected(
        [{"a": a, "b": b, **within(welch_test(first, second), limits)} for (a, first), (b, second) in pairs]
    )


def holm(values: Sequence[float | None]) -> list[float | None]:
    """Return the corrected p values in the same order; undefined tests (None) do not count.

    The smallest of m is multiplied by m, the next by m − 1 and so on; none is smaller than the previous one
    and none exceeds 1.
    """
    known = sorted((value, place) for place, value in enumerate(values) if value is not None)
    corrected: list[float | None] = [None] * len(values)
    largest = 0.0
    for rank, (value, place) in enumerate(known):
        largest = max(largest, min(1.0, (len(known) - rank) * value))
        corrected[place] = largest
    return corrected


def corrected(tests: list[Test]) -> list[Test]:
    """Return the tests with `p_holm`, corrected for the number of tests."""
    for test, value in zip(tests, holm([test["p"] for test in tests]), strict=True):
        test["p_holm"] = value
    return tests


def within(test: Test, limits: Range) -> Test:
    """Return a test of two means with the interval of their difference cut at what the scale allows."""
    reach = limits[1] - limits[0]
    return {**test, "difference": cut(test["difference"], (-reach, reach))}


def welch_test(a: Sample, b: Sample) -> Test:
    """Return Welch's test of two samples with the interval of the difference a − b."""
    units, gap = a.n + b.n, a.mean - b.mean
    if min(a.n, b.n) < 2:
        return untested(TOO_FEW, value=gap, n_units=units, method=WELCH)
    errors = a.variance / a.n, b.variance / b.n
    if sum(errors) <= 0:
        return untested(NO_VARIANCE, value=gap, n_units=units, method=WELCH)
    df = sum(errors) ** 2 / (errors[0] ** 2 / (a.n - 1) + errors[1] ** 2 / (b.n - 1))
    return t_test(gap, math.sqrt(sum(errors)), df, n_units=units, method=WELCH)


def t_test(gap: float, error: float, df: float, *, n_units: int, n_coders: int = 0, method: str) -> Test:
    """Return a difference with interval, t, df and two-sided p, from a standard error above 0."""
    half = float(stats.t.ppf((1 + CONFIDENCE) / 2, df)) * error
    interval = estimate(gap, gap - half, gap + half, n_units=n_units, n_coders=n_coders, method=method)
    t = gap / error
    return {"difference": interval, "t": t, "df": df, "p": float(2 * stats.t.sf(abs(t), df))}


def untested(reason: str, **about: Any) -> Test:
    """Return the keys of a missing test with the reason; `about` as for `refused`."""
    return {"difference": refused(reason, **about), "t": None, "df": None, "p": None}

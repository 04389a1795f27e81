"""Welch's test of two means with unequal variances.

B. L. Welch, "The generalization of 'Student's' problem when several different population variances are
involved", Biometrika 34 (1947) 28-35; degrees of freedom by the Welch-Satterthwaite equation.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final, TypedDict

import numpy as np
from scipy import stats

from analysis.stats.comparison.effects import Sample
from analysis.stats.estimates import CONFIDENCE, Estimate, estimate, refused
from analysis.stats.frames import Floats
from analysis.stats.means import grouped

Test = dict[str, Any]
WELCH: Final = "Welch"
NO_VARIANCE: Final = "no variance on either side"


class WelchJson(TypedDict, total=False):
    """t, degrees of freedom and two-sided p; without a test all are None and `undefined` says why."""

    t: float | None
    df: float | None
    p: float | None
    undefined: str


def welch_test(a: Floats, b: Floats) -> WelchJson:
    """Compare the means of two samples, (n,) and (m,); t is negative if the first mean is lower."""
    if min(len(a), len(b)) < 2:
        return _undefined("fewer than 2 annotations on one side")
    test = welch_from(sample(a), sample(b))
    if test["t"] is None:
        return _undefined(NO_VARIANCE)
    return {"t": test["t"], "df": test["df"], "p": test["p"]}


def _undefined(reason: str) -> WelchJson:
    return {"t": None, "df": None, "p": None, "undefined": reason}


def sample(values: Floats) -> Sample:
    """Return size, mean and variance of (n ≥ 1,) values; the variance of equal values is exactly 0."""
    found = grouped(values, np.zeros(len(values), dtype=np.int64), 1)
    return Sample(len(values), float(found.mean[0]), float(found.variance[0]))


def welch_from(a: Sample, b: Sample) -> Test:
    """Return Welch's test of two samples with the interval of the difference."""
    units, gap = a.n + b.n, a.mean - b.mean
    if min(a.n, b.n) < 2:
        return untested("fewer than 2 images on one side", value=gap, n_units=units, method=WELCH)
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


def simultaneous(test: Mapping[str, Any], tests: int) -> Estimate:
    """Return the difference of one of several t tests with the interval of level 1 - 0.05 / tests.

    O. J. Dunn, "Multiple comparisons among means", Journal of the American Statistical Association 56 (1961)
    52-64: together, such intervals contain the true differences with 95%. This is the first step of Holm's
    procedure, so an interval without 0 always has a corrected p below 0.05; and it suits every test with a t
    and degrees of freedom, unlike intervals of the studentised range.
    """
    found: Estimate = test["difference"]
    value, high = found["value"], found["high"]
    if value is None or high is None:
        return found
    tail = (1 - CONFIDENCE) / 2
    half = (high - value) * float(stats.t.isf(tail / tests, test["df"]) / stats.t.isf(tail, test["df"]))
    return estimate(
        value,
        value - half,
        value + half,
        n_units=found["n_units"],
        n_coders=found["n_coders"],
        method=f"{found['method']}, Bonferroni",
    )

"""Welch's test of two means with unequal variances.

B. L. Welch, "The generalization of 'Student's' problem when several different population variances are
involved", Biometrika 34 (1947) 28-35; degrees of freedom by the Welch-Satterthwaite equation.
"""

from __future__ import annotations

from typing import TypedDict

import numpy as np
from scipy import stats

from analysis.stats.frames import Floats


class WelchJson(TypedDict, total=False):
    """t, degrees of freedom and two-sided p; where there is no test all are None and `undefined` says why."""

    t: float | None
    df: float | None
    p: float | None
    undefined: str


def welch_test(a: Floats, b: Floats) -> WelchJson:
    """Compare the means of two samples, (n,) and (m,); t is negative where the first mean is lower."""
    if min(len(a), len(b)) < 2:
        return _undefined("fewer than 2 annotations on one side")
    if np.ptp(a) == 0 and np.ptp(b) == 0:
        return _undefined("no variance on either side")
    result = stats.ttest_ind(a, b, equal_var=False)
    return {"t": float(result.statistic), "df": float(result.df), "p": float(result.pvalue)}


def _undefined(reason: str) -> WelchJson:
    return {"t": None, "df": None, "p": None, "undefined": reason}

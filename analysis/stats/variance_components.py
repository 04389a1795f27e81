"""Intervals of the variance components of a mixed model, and of their shares."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy as np
from scipy import special, stats

from analysis.stats.estimates import CONFIDENCE, HALF_A_UNIT, Estimate, estimate, refused
from analysis.stats.frames import Floats
from analysis.stats.mixed_fits import MixedFit

SHARE: Final = "REML, delta method on the logit scale"
DEVIATION: Final = "REML, chi-squared, Satterthwaite"
ZERO: Final = "a variance is zero"
NOT_TOLD_APART: Final = "the variances cannot be told apart"


def share_estimate(found: MixedFit, share: Callable[[Floats], float], about: dict[str, int]) -> Estimate:
    """Return a share of the variances (4 + factors,), a number from 0 to 1, with its interval.

    `about` are `n_units` and `n_coders`.
    """
    value = share(found.variances)
    if not 1e-6 < value < 1 - 1e-6:
        return refused(ZERO, value=value, method=SHARE, **about)
    logit = math.log(value / (1 - value))
    with np.errstate(invalid="ignore"):
        error = found.delta(lambda at: math.log(share(at) / (1 - share(at))))
    reach = float(stats.norm.ppf((1 + CONFIDENCE) / 2)) * error
    low, high = (float(special.expit(limit)) for limit in (logit - reach, logit + reach))
    # An interval from 0 to 1 says nothing. Without an error, neither limit is a number.
    if not (low > HALF_A_UNIT or high < 1 - HALF_A_UNIT):
        return refused(NOT_TOLD_APART, value=value, method=SHARE, **about)
    return estimate(value, low, high, method=SHARE, **about)


def deviation_estimate(found: MixedFit, place: int, about: dict[str, int]) -> Estimate:
    """Return the standard deviation of the component at `place`, with its interval.

    An estimated variance v of variance V(v) is taken as χ² with 2 v² / V(v) degrees of freedom (F. E.
    Satterthwaite, Biometrics Bulletin 2 (1946) 110-114). With few levels, as of four annotators, the interval
    is long and reaches far up, as it must.
    """
    value = float(found.variances[place])
    if value <= 1e-6 * float(found.variances.sum()):
        return refused(ZERO, value=math.sqrt(value), method=DEVIATION, **about)
    with np.errstate(invalid="ignore", divide="ignore"):
        # The standard error of log v is that of v over v.
        error = found.delta(lambda at: math.log(at[place]))
    df = 2 / error**2 if error > 0 else math.nan
    if not math.isfinite(df) or df < 1:
        return refused(NOT_TOLD_APART, value=math.sqrt(value), method=DEVIATION, **about)
    tail = (1 - CONFIDENCE) / 2
    low, high = (math.sqrt(df * value / float(stats.chi2.isf(share, df))) for share in (tail, 1 - tail))
    return estimate(math.sqrt(value), low, high, method=DEVIATION, **about)

"""Effect sizes in standard deviations.

L. V. Hedges, "Distribution theory for Glass's estimator of effect size and related estimators", Journal
of Educational Statistics 6 (1981) 107-128; the variance as in M. Borenstein, L. V. Hedges, J. P. T.
Higgins, H. R. Rothstein, "Introduction to Meta-Analysis" (2009), chapter 4.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from scipy import stats

from analysis.stats.estimates import CONFIDENCE, Estimate, estimate, refused

LARGE_SAMPLE = "large-sample variance"


class Sample(NamedTuple):
    """Size, mean and sample variance."""

    n: int
    mean: float
    variance: float


def hedges_g(a: Sample, b: Sample) -> Estimate:
    """Return Hedges' g of two independent samples; negative if the first mean is lower.

    d = (mean a − mean b) / pooled s;  g = J d with J = 1 − 3/(4 df − 1), df = n_a + n_b − 2;
    variance of g = J² [ (n_a + n_b)/(n_a n_b) + d² / (2 (n_a + n_b)) ]; the interval is g ± 1.96 √variance.
    """
    units = a.n + b.n
    if min(a.n, b.n) < 2:
        return refused("fewer than 2 images on one side", n_units=units, method=LARGE_SAMPLE)
    df = units - 2
    pooled = ((a.n - 1) * a.variance + (b.n - 1) * b.variance) / df
    if pooled <= 0:
        return refused("no variance on either side", n_units=units, method=LARGE_SAMPLE)
    d = (a.mean - b.mean) / math.sqrt(pooled)
    correction = 1 - 3 / (4 * df - 1)
    variance = correction**2 * (units / (a.n * b.n) + d * d / (2 * units))
    half = float(stats.norm.ppf((1 + CONFIDENCE) / 2)) * math.sqrt(variance)
    g = correction * d
    return estimate(g, g - half, g + half, n_units=units, method=LARGE_SAMPLE)

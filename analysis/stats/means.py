"""Means of groups of images, with Student's interval."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import stats

from analysis.stats.estimates import ANY, CONFIDENCE, Estimate, Range, cut, estimate, refused
from analysis.stats.frames import Bools, Floats, Ints

T_INTERVAL = "t"
ONE_IMAGE = "fewer than 2 images"
ALL_EQUAL = "all scores are equal"
# Scores are sums of fractions with small denominators, so smaller differences are only rounding.
SAME = 1e-9


@dataclass(frozen=True)
class Groups:
    """Per group: `n` values, their `mean` and sample variance (0 for one value), and if any two `vary`."""

    n: Ints
    mean: Floats
    variance: Floats
    varies: Bools

    def variance_of(self, group: int) -> float | None:
        """Return the sample variance of a group; None below two values."""
        return float(self.variance[group]) if self.n[group] >= 2 else None


def grouped(values: Floats, codes: Ints, groups: int) -> Groups:
    """Return moments of (n,) values in groups 0, 1, …; two passes, exact zeros if all are equal."""
    n = np.bincount(codes, minlength=groups)
    size = np.maximum(n, 1)
    mean = np.bincount(codes, values, minlength=groups) / size
    away = values - mean[codes]
    squares = np.bincount(codes, away * away, minlength=groups)
    furthest = np.zeros(groups)
    np.maximum.at(furthest, codes, np.abs(away))
    varies = (furthest > SAME) & (n >= 2)
    variance = np.where(varies, squares / np.maximum(n - 1, 1), 0.0)
    return Groups(n, mean, variance, varies)


def mean_estimates(found: Groups, n_annotators: Ints, within: Range = ANY) -> list[Estimate]:
    """Return the mean of each group with Student's t interval, mean ± t(n − 1) · s/√n, cut at `within`.

    A single value, or equal values, have a mean but no interval; no value has neither.
    """
    n = np.maximum(found.n, 2)
    half = stats.t.ppf((1 + CONFIDENCE) / 2, n - 1) * np.sqrt(found.variance / n)
    made = []
    for i, value in enumerate(found.mean.tolist()):
        about = {"n_units": int(found.n[i]), "n_coders": int(n_annotators[i])}
        if found.varies[i]:
            whole = estimate(value, value - half[i], value + half[i], method=T_INTERVAL, **about)
            made.append(cut(whole, within))
        else:
            reason = ONE_IMAGE if found.n[i] < 2 else ALL_EQUAL
            made.append(refused(reason, value=value if found.n[i] else None, method=T_INTERVAL, **about))
    return made

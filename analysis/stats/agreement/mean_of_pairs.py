"""The mean of the pairs' alphas, with an interval over images."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from scipy import stats

from analysis.stats.agreement.variables import COMPUTED, Variable, alphas
from analysis.stats.bootstrap_intervals import (
    FEWEST,
    HANGS_ON_ONE,
    JACKKNIFE,
    NEVER_VARIES,
    NONE,
    effective_df,
)
from analysis.stats.estimates import CONFIDENCE, Estimate, estimate, refused
from analysis.stats.frames import Floats, Ints

NO_PAIR: Final = "no pair has a value"
TOO_MANY: Final = "too many pairs"


class MeanOfPairs:
    """Collects pair after pair what one image less would change.

    The jackknife leaves out each image in turn, from every pair that shares it. Its standard error comes with
    Student's t, with the degrees of freedom of `effective_df`.
    """

    def __init__(self, images: int) -> None:
        self._changes = np.zeros((images, len(COMPUTED)))
        self._pairs = np.zeros(len(COMPUTED), dtype=np.int64)
        self._images = np.zeros((images, len(COMPUTED)), dtype=np.bool_)
        self._undefined = np.zeros(len(COMPUTED), dtype=np.bool_)

    def add(self, images: Ints, sums: Floats, values: Floats) -> None:
        """Add a pair: its (m,) images, their (m, COLUMNS) sums, and its (5,) alphas."""
        known = ~np.isnan(values)
        changes = values - alphas(sums.sum(axis=0) - sums)
        self._undefined |= known & np.isnan(changes).any(axis=0)
        self._changes[images] += np.where(known, changes, 0.0)
        self._images[images] |= known
        self._pairs += known

    def estimates(
        self, means: dict[str, float | None], n_coders: int, *, complete: bool = True
    ) -> dict[Variable, Estimate]:
        """Return the means with intervals; `complete` says whether every pair was added."""
        return {
            name: self._estimate(place, means[name], n_coders, complete)
            for place, name in enumerate(COMPUTED)
        }

    def _estimate(self, place: int, mean: float | None, n_coders: int, complete: bool) -> Estimate:
        images = self._images[:, place]
        n = int(images.sum())
        about = {"n_units": n, "n_coders": n_coders}
        if mean is None or n < FEWEST:
            return refused(NO_PAIR, method=NONE, **about)
        if not complete:
            return refused(TOO_MANY, value=mean, method=NONE, **about)
        if self._undefined[place]:
            return refused(HANGS_ON_ONE, value=mean, method=JACKKNIFE, **about)
        changes = self._changes[images, place, None] / self._pairs[place]
        error = math.sqrt((n - 1) / n * float(((changes - changes.mean()) ** 2).sum()))
        if error <= 1e-12:
            return refused(NEVER_VARIES, value=mean, method=JACKKNIFE, **about)
        reach = float(stats.t.ppf((1 + CONFIDENCE) / 2, effective_df(changes)[0])) * error
        return estimate(mean, mean - reach, min(mean + reach, 1.0), method=JACKKNIFE, **about)

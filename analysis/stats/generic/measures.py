"""Coefficients of agreement beside alpha, as sums that add up over images.

Raw agreement is the share of equal pairs of values, each image with equal weight; AC1 corrects it for chance
(K. L. Gwet, "Computing inter-rater reliability and its variance in the presence of high agreement", British
Journal of Mathematical and Statistical Psychology 61 (2008) 29-48). Positive agreement is the probability
that another annotator marks what one has marked (J. L. Fleiss, B. Levin, M. C. Paik, "Statistical Methods for
Rates and Proportions", 2003, chapter 18). Where few components are marked, alpha is low although raw
agreement and AC1 are high.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from analysis.stats.bootstrap_intervals import estimated
from analysis.stats.estimates import Estimate
from analysis.stats.frames import Floats, Ints

COEFFICIENTS: Final = ("raw agreement", "AC1", "positive agreement")
ONE_VALUE: Final = "only one value can be given"
NO_MARKS: Final = "nothing is marked"
YES_NO: Final = (0, 1)


def beside_alpha(values: Floats, unit: Ints, domain: Sequence[float], n_coders: int) -> dict[str, Estimate]:
    """Return raw agreement, AC1 and, of marks (0 or 1), positive agreement, with 95% intervals over images.

    `values` (rows, c) are nominal, in the ascending `domain`; `unit` (rows,) is the sorted index of each
    row's image, without gaps from 0, each with two or more rows. Raise ValueError for a value outside it.
    """
    counts = _counts(values, unit, np.array(domain, dtype=np.float64))
    n = np.maximum(counts.sum(axis=2, keepdims=True), 2)
    equal = (counts * (counts - 1) / (n * (n - 1))).sum(axis=(1, 2))
    others = (counts[..., -1:] * (counts[..., -1:] - 1) / (n - 1)).sum(axis=(1, 2))
    shares = (counts / n).sum(axis=1)
    of = np.full(len(counts), float(values.shape[1]))
    sums = np.column_stack([of, equal, others, counts[..., -1].sum(axis=1), shares])
    several = len(domain) > 1

    def statistic(totals: Floats) -> Floats:
        width, same, both, marked = (totals[..., place] for place in range(4))
        with np.errstate(all="ignore"):
            raw, prevalence = same / width, totals[..., 4:] / width[..., None]
            chance = (prevalence * (1 - prevalence)).sum(axis=-1) / max(len(domain) - 1, 1)
            ac1 = (raw - chance) / (1 - chance) if several else np.full_like(raw, np.nan)
            return np.stack([raw, ac1, both / marked], axis=-1)

    lowest = np.array([0.0, -1.0, 0.0])
    reasons = (ONE_VALUE, ONE_VALUE, NO_MARKS)
    found = estimated(
        sums, statistic, n_coders=n_coders, undefined=reasons, lowest=lowest, highest=np.ones(3)
    )
    names = COEFFICIENTS if tuple(domain) == YES_NO else COEFFICIENTS[:2]
    return dict(zip(names, found, strict=False))


def _counts(values: Floats, unit: Ints, domain: Floats) -> Floats:
    """Return (units, c, levels): how often each value was given to each component of each unit."""
    places = np.searchsorted(domain, values)
    known = domain[np.minimum(places, len(domain) - 1)] == values
    if not known.all():
        raise ValueError(f"{values[~known][0]:g} is no value of the variable")
    width, levels = values.shape[1], len(domain)
    units = int(unit[-1]) + 1 if len(unit) else 0
    of = ((unit[:, None] * width + np.arange(width)) * levels + places).ravel()
    return np.bincount(of, minlength=units * width * levels).reshape(units, width, levels).astype(np.float64)

"""Coefficients of agreement beside alpha, as sums that add up over images.

Raw agreement is the share of equal pairs of values, each image with equal weight; AC1 corrects it for chance
(K. L. Gwet, "Computing inter-rater reliability and its variance in the presence of high agreement", British
Journal of Mathematical and Statistical Psychology 61 (2008) 29-48). Positive agreement is the probability
that another annotator marks what one has marked (J. L. Fleiss, B. Levin, M. C. Paik, "Statistical Methods for
Rates and Proportions", 2003, chapter 18). Where few components are marked, alpha is low although raw
agreement and AC1 are high.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from analysis.stats.bootstrap_intervals import estimated
from analysis.stats.estimates import Estimate
from analysis.stats.frames import Floats, Ints
from analysis.stats.generic.alphas import counted
from scoring.protocol import Variable

RAW, AC1, POSITIVE = COEFFICIENTS = ("raw agreement", "AC1", "positive agreement")
ONE_VALUE: Final = "only one value can be given"
NO_MARKS: Final = "nothing is marked"
YES_NO: Final = (0, 1)


def beside_alpha(
    values: npt.NDArray[Any], unit: Ints, variable: Variable, n_coders: int
) -> dict[str, Estimate]:
    """Return raw agreement, AC1 and, of marks (0 or 1), positive agreement, with 95% intervals over images.

    `values` (rows, c) are nominal; `unit` (rows,) is the sorted index of each row's image, without gaps from
    0, each with two or more rows. Raise ValueError for a value that the variable does not list.
    """
    levels = len(variable.values)
    parts = [_sums(counts.astype(np.float64)) for counts in counted(values, unit, variable)]
    sums = np.concatenate(parts) if parts else np.zeros((0, 4 + levels))

    def statistic(totals: Floats) -> Floats:
        width, same, both, marked = (totals[..., place] for place in range(4))
        with np.errstate(all="ignore"):
            raw, prevalence = same / width, totals[..., 4:] / width[..., None]
            chance = (prevalence * (1 - prevalence)).sum(axis=-1) / max(levels - 1, 1)
            ac1 = (raw - chance) / (1 - chance) if levels > 1 else np.full_like(raw, np.nan)
            return np.stack([raw, ac1, both / marked], axis=-1)

    lowest = np.array([0.0, -1.0, 0.0])
    reasons = (ONE_VALUE, ONE_VALUE, NO_MARKS)
    estimates = estimated(
        sums, statistic, n_coders=n_coders, undefined=reasons, lowest=lowest, highest=np.ones(3)
    )
    names = COEFFICIENTS if tuple(variable.values) == YES_NO else COEFFICIENTS[:2]
    return dict(zip(names, estimates, strict=False))


def _sums(counts: Floats) -> Floats:
    """Return (units, 4 + levels) of (units, c, levels) counts.

    Components; equal pairs of their values, and pairs of marks, each out of those of one value; marks; and
    the share of each value.
    """
    n = np.maximum(counts.sum(axis=2, keepdims=True), 2)
    equal = (counts * (counts - 1) / (n * (n - 1))).sum(axis=(1, 2))
    both = (counts[..., -1:] * (counts[..., -1:] - 1) / (n - 1)).sum(axis=(1, 2))
    width = np.full(len(counts), float(counts.shape[1]))
    return np.column_stack([width, equal, both, counts[..., -1].sum(axis=1), (counts / n).sum(axis=1)])

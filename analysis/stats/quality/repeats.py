"""Intra-rater agreement: the same annotator on the same image, twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from analysis.stats.bootstrap_intervals import FEWEST, too_few
from analysis.stats.estimates import AlphaEstimate, Estimate, refused
from analysis.stats.generic.alphas import alpha_of
from analysis.stats.means import T_INTERVAL, grouped, mean_estimates
from analysis.stats.quality.records import RepeatRecord
from scoring.protocol import Variable

ACCEPTABLE: Final = 0.667
"""Krippendorff's lowest conceivable limit for tentative conclusions."""
PAIRS: Final = 10
"""Pairs that a verdict on repeats needs."""


@dataclass(frozen=True)
class Intra:
    """`alpha` over the pairs, and the mean `shift` of the second value from the first."""

    pairs: int
    short: int
    alpha: AlphaEstimate
    shift: Estimate

    @property
    def is_unstable(self) -> bool:
        """Whether alpha's whole interval lies below `ACCEPTABLE`, over enough pairs."""
        high = self.alpha["high"]
        return self.pairs >= PAIRS and high is not None and high < ACCEPTABLE


def intra(repeats: Sequence[RepeatRecord], headline: Variable) -> Intra:
    """Return the agreement of an annotator with themselves; both intervals are 95%, over images.

    Alpha is Krippendorff's, at the headline's level if its values can be listed, else of interval data; the
    shift has Student's interval. Below five pairs neither has a number.
    """
    pairs = np.array([[one.first, one.again] for one in repeats], dtype=np.float64).reshape(-1, 2)
    alpha = alpha_of(pairs.reshape(-1, 1), np.repeat(np.arange(len(pairs)), 2), headline, 1)
    if len(pairs) < FEWEST:
        shift = refused(too_few(len(pairs)), n_units=len(pairs), n_coders=1, method=T_INTERVAL)
    else:
        moved = pairs[:, 1] - pairs[:, 0]
        (shift,) = mean_estimates(
            grouped(moved, np.zeros(len(moved), dtype=np.int64), 1), np.ones(1, np.int64)
        )
    return Intra(len(pairs), sum(one.is_short for one in repeats), alpha, shift)

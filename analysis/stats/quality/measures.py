"""What is measured of one annotator: anchors beside references, habits at work, repeats beside themselves.

Lately an annotator is away from the references if the interval of the mean difference of their last `RECENT`
anchors, which the page shows, does not include 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

import numpy as np

from analysis.stats.estimates import AlphaEstimate, Estimate, refused
from analysis.stats.fewest_images import FEWEST, too_few
from analysis.stats.frames import Floats
from analysis.stats.generic.alphas import alpha_of
from analysis.stats.means import SAME, T_INTERVAL, grouped, mean_estimates
from analysis.stats.quality.records import RepeatRecord, WorkRecord
from scoring.protocol import Variable

FEWEST_ANCHORS: Final = 8
"""Anchors that a verdict needs."""
RECENT: Final = 10
NO_ANCHORS: Final = "no anchors"
FAST_MS: Final = 5_000
TIMED: Final = 20
"""Annotations with a known time that a statement on speed needs."""
EQUAL: Final = 24
"""Last annotations that are remarked on if all are equal."""
MARKED: Final = 20
"""Marks that a statement on severities needs."""
RARE_USE: Final = 0.001
"""Probability below which never using a severity is remarked on."""
ACCEPTABLE: Final = 0.667
"""Krippendorff's lowest conceivable limit for tentative conclusions."""
PAIRS: Final = 10
"""Pairs that a verdict on repeats needs."""


@dataclass(frozen=True)
class Anchored:
    """The mean difference from references `overall` and `lately`, with 95% intervals.

    `is_away`: whether the interval of the last differences, of `FEWEST_ANCHORS` or more, lies beside 0.
    """

    anchors: int
    overall: Estimate
    lately: Estimate
    is_away: bool


def anchored(differences: Sequence[float]) -> Anchored:
    """Return what (n,) differences of anchors from their references say, in the order of submission."""
    values = np.asarray(differences, dtype=np.float64)
    if not len(values):
        nothing = refused(NO_ANCHORS, n_units=0, n_coders=1, method=T_INTERVAL)
        return Anchored(0, nothing, nothing, is_away=False)
    lately = _mean(values[-RECENT:])
    return Anchored(len(values), _mean(values), lately, len(values) >= FEWEST_ANCHORS and _is_away(lately))


def _mean(values: Floats) -> Estimate:
    """Return the mean of (n,) values of one annotator with Student's interval; values may not be empty."""
    (estimate,) = mean_estimates(
        grouped(values, np.zeros(len(values), dtype=np.int64), 1), np.ones(1, np.int64)
    )
    return estimate


def _is_away(mean: Estimate) -> bool:
    """Return whether a mean lies away from 0; one of equal differences has no interval."""
    value, low, high = mean["value"], mean["low"], mean["high"]
    if low is not None and high is not None:
        return low > 0 or high < 0
    return value is not None and abs(value) > SAME


@dataclass(frozen=True)
class Habits:
    """What a sample of an annotator's last annotations shows.

    `all_equal`: whether the last `EQUAL` annotations are. `severities` counts the marks of each severity.
    """

    annotations: int
    timed: int
    median_ms: float | None
    fast: int
    all_equal: bool
    severities: tuple[int, ...]

    @property
    def fast_share(self) -> float | None:
        """The share of the timed annotations that were fast."""
        return self.fast / self.timed if self.timed else None


def habits_of(work: Sequence[WorkRecord], fast_ms: int = FAST_MS) -> Habits:
    """Return the habits of a sample, in the order of submission; below `fast_ms` an annotation is fast."""
    times = [record.active_ms for record in work if record.active_ms is not None]
    last = [record.said for record in work[-EQUAL:]]
    return Habits(
        annotations=len(work),
        timed=len(times),
        median_ms=median(times) if times else None,
        fast=sum(time < fast_ms for time in times),
        all_equal=len(last) == EQUAL and len(set(last)) == 1,
        severities=tuple(map(sum, zip(*(record.severities for record in work), strict=True))),
    )


def never_used(own: Habits, others: Sequence[Habits]) -> tuple[int, ...]:
    """Return the severities that an annotator never uses, which chance hardly explains.

    By the others' shares p, n marks without the severity have the probability (1 − p)^n.
    """
    marks = sum(own.severities)
    totals = [
        sum(counts)
        for counts in zip(*(habits.severities for habits in others if habits.severities), strict=True)
    ]
    if marks < MARKED or sum(totals) < MARKED:
        return ()
    shares = [count / sum(totals) for count in totals]
    return tuple(
        place
        for place, (count, share) in enumerate(zip(own.severities, shares, strict=True))
        if not count and (1 - share) ** marks < RARE_USE
    )


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
    pairs = np.array([[repeat.first, repeat.again] for repeat in repeats], dtype=np.float64).reshape(-1, 2)
    alpha = alpha_of(pairs.reshape(-1, 1), np.repeat(np.arange(len(pairs)), 2), headline, 1)
    if len(pairs) < FEWEST:
        shift = refused(too_few(len(pairs)), n_units=len(pairs), n_coders=1, method=T_INTERVAL)
    else:
        shift = _mean(pairs[:, 1] - pairs[:, 0])
    return Intra(len(pairs), sum(repeat.is_short for repeat in repeats), alpha, shift)

"""Speed and variety: time per image, annotations that are all equal, severities used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

from analysis.stats.quality.records import WorkRecord

FAST_MS: Final = 5_000
TIMED: Final = 20
"""Annotations with a known time that a statement on speed needs."""
EQUAL: Final = 24
"""Last annotations that are remarked on if all are equal."""
MARKED: Final = 20
"""Marks that a statement on severities needs."""
RARE_USE: Final = 0.001
"""Probability below which never using a severity is remarked on."""


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
    times = [one.active_ms for one in work if one.active_ms is not None]
    last = [one.said for one in work[-EQUAL:]]
    return Habits(
        annotations=len(work),
        timed=len(times),
        median_ms=median(times) if times else None,
        fast=sum(time < fast_ms for time in times),
        all_equal=len(last) == EQUAL and len(set(last)) == 1,
        severities=tuple(map(sum, zip(*(one.severities for one in work), strict=True))),
    )


def never_used(own: Habits, others: Sequence[Habits]) -> tuple[int, ...]:
    """Return the severities that an annotator never uses, which chance hardly explains.

    By the others' shares p, n marks without the severity have the probability (1 − p)^n.
    """
    marks = sum(own.severities)
    totals = [
        sum(counts) for counts in zip(*(each.severities for each in others if each.severities), strict=True)
    ]
    if marks < MARKED or sum(totals) < MARKED:
        return ()
    shares = [count / sum(totals) for count in totals]
    return tuple(
        place
        for place, (count, share) in enumerate(zip(own.severities, shares, strict=True))
        if not count and (1 - share) ** marks < RARE_USE
    )

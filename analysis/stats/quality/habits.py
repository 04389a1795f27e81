"""Speed and flatness: time per image, runs of equal annotations, severities used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

from analysis.stats.quality.records import WorkRecord

FAST_MS: Final = 5_000
TIMED: Final = 20
"""Annotations with a known time that a statement on speed needs."""
LONG_RUN: Final = 24
"""Shorter runs of equal annotations are never remarked on."""
RARE_RUNS: Final = 0.01
"""Expected number of runs as long below which a run is remarked on."""
MARKED: Final = 20
"""Marks that a statement on severities needs."""
RARE_USE: Final = 0.001
"""Probability below which never using a severity is remarked on."""


@dataclass(frozen=True)
class Habits:
    """What a sample of an annotator's last annotations shows.

    `run` is the longest run of equal annotations, `run_ends` the place after its last one. `commonest` is how
    often the most frequent annotation occurs. `severities` counts the marks of each severity.
    """

    annotations: int
    timed: int
    median_ms: float | None
    fast: int
    run: int
    run_ends: int
    commonest: int
    severities: tuple[int, ...]

    @property
    def fast_share(self) -> float | None:
        """The share of the timed annotations that were fast."""
        return self.fast / self.timed if self.timed else None


def habits_of(work: Sequence[WorkRecord], fast_ms: int = FAST_MS) -> Habits:
    """Return the habits of a sample, in the order of submission; below `fast_ms` an annotation is fast."""
    times = [one.active_ms for one in work if one.active_ms is not None]
    run, ends = _longest_run([one.said for one in work])
    return Habits(
        annotations=len(work),
        timed=len(times),
        median_ms=median(times) if times else None,
        fast=sum(time < fast_ms for time in times),
        run=run,
        run_ends=ends,
        commonest=max(Counter(one.said for one in work).values(), default=0),
        severities=tuple(map(sum, zip(*(one.severities for one in work), strict=True))),
    )


def _longest_run(said: Sequence[int]) -> tuple[int, int]:
    """Return the length of the longest run of equal values, the first of several, and the place after it."""
    best, ends, length = 0, 0, 0
    for place, value in enumerate(said):
        length = length + 1 if place and value == said[place - 1] else 1
        if length > best:
            best, ends = length, place + 1
    return best, ends


def expected_runs(annotations: int, share: float, run: int) -> float:
    """Return the expected number of runs of `run` or more of an annotation with this share.

    With independent annotations, p^r (1 + (n − r)(1 − p)): a run begins at the first place, or after another
    annotation (W. Feller, "An Introduction to Probability Theory and Its Applications", volume 1, 3rd
    edition, 1968, chapter XIII).
    """
    if annotations < run:
        return 0.0
    return float(share**run * (1 + (annotations - run) * (1 - share)))


def is_flat(own: Habits, others: Sequence[Habits]) -> bool:
    """Whether the longest run is too long to be meant, given the others' most frequent annotation.

    On images that mostly have no errors, long runs are right. Without others, the length alone decides.
    """
    if own.run < LONG_RUN:
        return False
    whole = sum(each.annotations for each in others)
    share = sum(each.commonest for each in others) / whole if whole else 0.0
    return expected_runs(own.annotations, share, own.run) < RARE_RUNS


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

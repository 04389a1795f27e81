"""Overall severity without the numeric stack: the bands of analysis.stats.bands by annotator."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import floor

from analysis.data.ratings_table import superseded
from analysis.exports.anatomy.sums import ScoreSums
from analysis.exports.chunks import PAYLOAD, decoded
from analysis.exports.filters import Filters
from analysis.exports.source import ExportSource
from annotator.annotations.unreadable import annotations_without_numbers

QUANTILES = (0.5, 0.75)
FEWEST = 8


@dataclass(frozen=True)
class Thresholds:
    """Median and upper quartile of the scores of every annotator with `FEWEST` or more, by code."""

    by_annotator: Mapping[str, tuple[float, ...]]

    def band(self, annotator: str, score: float) -> str:
        """Return low up to the median, medium up to the upper quartile, else high; empty if unknown."""
        if annotator not in self.by_annotator:
            return ""
        median, upper = self.by_annotator[annotator]
        return "high" if score > upper else "medium" if score > median else "low"


class Population:
    """The scores that define each annotator's bands: the latest for each of their images."""

    def __init__(self, reading: ExportSource) -> None:
        self._code = reading.code
        unread = set(annotations_without_numbers(reading.project).values_list("pk", flat=True))
        self._earlier = superseded(reading.project, reading.source, unread) | unread
        self._scores: defaultdict[int, array[float]] = defaultdict(lambda: array("d"))

    def add(self, pk: int, member: int, score: float) -> None:
        """Add a submitted annotation."""
        if pk not in self._earlier:
            self._scores[member].append(score)

    def thresholds(self) -> Thresholds:
        """Return the thresholds once all annotations of the project are added."""
        known = {member: of for member, of in self._scores.items() if len(of) >= FEWEST}
        return Thresholds({self._code(member): _quantiles(sorted(of)) for member, of in known.items()})


def thresholds(reading: ExportSource) -> Thresholds:
    """Return the thresholds over all submitted annotations of the project, ignoring filters."""
    population, sums = Population(reading), ScoreSums(reading.project.exact_weights)
    for rows in reading.chunks(("assignment__annotator_id", PAYLOAD), Filters()):
        for pk, member, payload in rows:
            marks = decoded(payload)["marks"]
            scores = (sums.score(mark["severity"], mark["affected"], mark["total"]) for mark in marks)
            population.add(pk, member, sum(scores) / sums.unit)
    return population.thresholds()


def _quantiles(ordered: Sequence[float]) -> tuple[float, ...]:
    return tuple(_quantile(ordered, quantile) for quantile in QUANTILES)


def _quantile(ordered: Sequence[float], quantile: float) -> float:
    """Return the quantile exactly as `numpy.quantile` does, because scores are compared with it."""
    place = (len(ordered) - 1) * quantile
    below = floor(place)
    low, high = ordered[below], ordered[min(below + 1, len(ordered) - 1)]
    share = place - below
    return low + (high - low) * share if share < 0.5 else high - (high - low) * (1 - share)

"""One line per annotation, with its scores and how severe they are for its annotator."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import floor
from typing import Any, Final

from analysis.data.ratings_table import superseded
from analysis.exports.anatomy.cells import (
    CELL_NAMES,
    COUNT_COLUMNS,
    PARTS_OF_ONE,
    PEOPLE,
    PLACES,
    SUM_NAMES,
    THE_CELLS,
    WEIGHTED,
    ScoreSums,
    count_values,
)
from analysis.exports.columns import Column, Dialect, Kind, Line, Value, columns
from analysis.exports.filters import Filters
from analysis.exports.rows import PAYLOAD, AnnotationRow, decoded
from analysis.exports.shared_columns import (
    ANSWER_COLUMNS,
    IMAGE_COLUMNS,
    ORIGIN_COLUMNS,
    TAG_COLUMNS,
    annotation_values,
    image_values,
    origin_values,
    tag_values,
)
from analysis.exports.source import ExportSource
from annotator.annotations.unreadable import annotations_without_numbers, says_nothing
from annotator.models import Annotation
from scoring.grid.taxonomy import CELLS, SEVERITIES

QUANTILES = (0.5, 0.75)
FEWEST = 8
SCORE_COLUMNS: Final = (
    *columns(
        Kind.NUMBER,
        *CELL_NAMES,
        meaning="cell score: the weighted sum of the cell's error fractions",
        values="number from 0, no unit; `0` without an error",
        unit=WEIGHTED,
        least=0,
        shown=THE_CELLS,
    ),
    Column(
        "cumulative_score",
        Kind.NUMBER,
        "sum of the 25 cell scores (Equation 2)",
        "number from 0, no upper limit",
        unit=WEIGHTED,
        least=0,
    ),
    *columns(
        Kind.NUMBER,
        *SUM_NAMES,
        meaning="error fractions of one severity, summed over all cells *without* weights",
        values="number from 0",
        unit=PARTS_OF_ONE,
        least=0,
    ),
)
SCORES_COLUMNS: Final = (
    *IMAGE_COLUMNS,
    *SCORE_COLUMNS,
    Column(
        "overall_severity",
        meaning="the band of the cumulative score: low ≤ 0.5 quantile < medium ≤ 0.75 quantile < high. "
        "Population: the annotator's own scores of all images that they annotated in the project, whatever "
        "the filters, the latest annotation of each; quantiles by linear interpolation. With fewer than 20 "
        "scores, bands are uncertain",
        values="`low`, `medium`, `high`; empty unless submitted, and for annotators with fewer than 8 scores",
        only=("low", "medium", "high"),
    ),
    PEOPLE,
    *TAG_COLUMNS,
    *ANSWER_COLUMNS,
    *COUNT_COLUMNS,
    *ORIGIN_COLUMNS,
)
SUMS_OF = {severity: len(CELLS) + 1 + place for place, severity in enumerate(SEVERITIES)}
TOTAL = len(CELLS)


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


def scores_lines(reading: ExportSource) -> Iterator[Line]:
    """Yield the scores of every annotation; empty for an incomplete draft."""
    sums, bands = ScoreSums(reading.project.exact_weights), thresholds(reading)
    for row in reading.rows():
        found = scored(row, sums)
        yield [
            *image_values(row, reading),
            *numbers(found, sums.unit, reading.dialect),
            _overall(row, found, sums, bands),
            row.said.get("people"),
            *tag_values(row.tags, reading),
            *annotation_values(row, reading),
            *count_values(row.said),
            *origin_values(row, reading),
        ]


def scored(row: AnnotationRow, sums: ScoreSums) -> list[int | None]:
    """Return the sums of an annotation; all None if the imported row was unreadable."""
    if row.status == Annotation.Status.SUBMITTED and says_nothing(row.said):
        return [None] * len(SCORE_COLUMNS)
    return summed(row.said["marks"], sums)


def summed(marks: list[Mapping[str, Any]], sums: ScoreSums) -> list[int | None]:
    """Return the values of SCORE_COLUMNS in the unit of `sums`; None if a total is missing."""
    if any(mark["total"] is None for mark in marks):
        return _summed_so_far(marks, sums)
    found = [0] * len(SCORE_COLUMNS)
    for mark in marks:
        severity, affected, total = mark["severity"], mark["affected"], mark["total"]
        score = sums.score(severity, affected, total)
        found[PLACES[mark["type"], mark["part"]]] += score
        found[TOTAL] += score
        found[SUMS_OF[severity]] += sums.fraction(affected, total)
    return list(found)


def _summed_so_far(marks: list[Mapping[str, Any]], sums: ScoreSums) -> list[int | None]:
    """Return the sums whose marks all have totals; None for the others."""
    found = summed([mark for mark in marks if mark["total"] is not None], sums)
    for mark in marks:
        if mark["total"] is None:
            for place in (PLACES[mark["type"], mark["part"]], TOTAL, SUMS_OF[mark["severity"]]):
                found[place] = None
    return found


def numbers(found: list[int | None], unit: int, dialect: Dialect) -> list[Value]:
    """Return sums as values of the dialect."""
    number, none = dialect.number, dialect.number(0, 1)
    return [number(sum_, unit) if sum_ else (none if sum_ == 0 else None) for sum_ in found]


def _overall(row: AnnotationRow, found: list[int | None], sums: ScoreSums, bands: Thresholds) -> str:
    score = found[TOTAL]
    if row.status != Annotation.Status.SUBMITTED or score is None:
        return ""
    return bands.band(row.annotator, score / sums.unit)

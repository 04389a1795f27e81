"""One line per annotation, with its scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from analysis.exports.anatomy.cells import COUNT_COLUMNS, PLACES, SCORE_COLUMNS, count_values
from analysis.exports.anatomy.overall import Thresholds, thresholds
from analysis.exports.anatomy.sums import ScoreSums
from analysis.exports.columns import Dialect, ExportColumn, Kind, Line, Value
from analysis.exports.rows import AnnotationRow
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
from annotator.annotations.unreadable import says_nothing
from annotator.models import Annotation
from scoring.grid.taxonomy import CELLS, SEVERITIES

SCORES_COLUMNS = (
    *IMAGE_COLUMNS,
    *SCORE_COLUMNS,
    ExportColumn("overall_severity"),
    ExportColumn("people", Kind.INTEGER),
    *TAG_COLUMNS,
    *ANSWER_COLUMNS,
    *COUNT_COLUMNS,
    *ORIGIN_COLUMNS,
)
SUMS_OF = {severity: len(CELLS) + 1 + place for place, severity in enumerate(SEVERITIES)}
TOTAL = len(CELLS)


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

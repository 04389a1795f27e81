"""One line per mark."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from operator import itemgetter
from typing import Any, Final

from analysis.exports.anatomy.cells import COUNT_COLUMNS, count_values
from analysis.exports.anatomy.sums import ScoreSums
from analysis.exports.columns import ExportColumn, Kind, Line, columns
from analysis.exports.shared_columns import (
    AUTHOR_COLUMN,
    IMAGE_COLUMNS,
    ORIGIN_COLUMNS,
    image_values,
    origin_values,
)
from analysis.exports.source import ExportSource

MARKS_COLUMNS = (
    *IMAGE_COLUMNS,
    *columns(Kind.TEXT, "error_type", "body_part", "severity"),
    *columns(Kind.INTEGER, "affected", "total"),
    ExportColumn("own_total", Kind.TRUTH),
    *columns(Kind.NUMBER, "error_fraction", "weight", "score"),
    *columns(Kind.TEXT, "pins", "batch", "status"),
    AUTHOR_COLUMN,
    ExportColumn("people", Kind.INTEGER),
    *COUNT_COLUMNS,
    *ORIGIN_COLUMNS,
)
_ITSELF: Final = itemgetter("type", "part", "severity", "affected", "total", "own_total")


def marks_lines(reading: ExportSource) -> Iterator[Line]:
    """Yield the marks of every annotation in cell order."""
    text, dialect = reading.dialect.text, reading.dialect
    weights = reading.project.exact_weights
    sums = ScoreSums(weights)

    # Most marks repeat earlier ones, so each distinct one is processed once.
    @cache
    def values(
        error_type: str, part: str, severity: str, affected: int, total: int | None, own: bool
    ) -> Line:
        counted: Line = [error_type, part, severity, affected, total, dialect.truth(own)]
        weight = dialect.number(*weights[severity].as_integer_ratio())
        if total is None:
            return [*counted, None, weight, None]
        fraction, score = sums.fraction(affected, total), sums.score(severity, affected, total)
        return [*counted, dialect.number(fraction, sums.unit), weight, dialect.number(score, sums.unit)]

    for row in reading.rows():
        marks = row.said["marks"]
        if not marks:
            continue
        head = image_values(row, reading)
        answer = [text(row.batch), row.status, text(reading.name(row.annotator))]
        last = [*answer, row.said.get("people"), *count_values(row.said), *origin_values(row, reading)]
        for mark in marks:
            yield [*head, *values(*_ITSELF(mark)), _text(mark["pins"]), *last]


def _text(pins: list[Mapping[str, Any]]) -> str:
    """Return the pins as `x y; x y`."""
    return "; ".join([f"{pin['x']} {pin['y']}" for pin in pins])

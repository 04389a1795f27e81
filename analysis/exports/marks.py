"""One line per mark."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from operator import itemgetter
from typing import Any, Final

from analysis.exports.columns import Column, Kind, Line, Value, columns
from analysis.exports.reading import Reading
from analysis.exports.shared import AUTHOR_COLUMN, IMAGE_COLUMNS, image_values

MARKS_COLUMNS = (
    *IMAGE_COLUMNS,
    *columns(Kind.TEXT, "error_type", "body_part", "severity"),
    *columns(Kind.INTEGER, "affected", "total"),
    Column("own_total", Kind.TRUTH),
    *columns(Kind.NUMBER, "error_fraction", "weight", "score"),
    *columns(Kind.TEXT, "pins", "batch", "status"),
    AUTHOR_COLUMN,
)
_ITSELF: Final = itemgetter("type", "part", "severity", "affected", "total", "own_total")


def marks_lines(reading: Reading) -> Iterator[Line]:
    """Yield the marks of every answer, in the order of the cells."""
    text, dialect = reading.dialect.text, reading.dialect
    sums, weights = reading.sums, reading.project.exact_weights

    # Few marks are unlike all earlier ones: the work is done once for each.
    @cache
    def values(
        error_type: str, part: str, severity: str, affected: int, total: int | None, own: bool
    ) -> list[Value]:
        counted: list[Value] = [error_type, part, severity, affected, total, dialect.truth(own)]
        weight = dialect.number(*weights[severity].as_integer_ratio())
        if total is None:
            return [*counted, None, weight, None]
        fraction, score = sums.fraction(affected, total), sums.score(severity, affected, total)
        return [*counted, dialect.number(fraction, sums.unit), weight, dialect.number(score, sums.unit)]

    for row in reading.rows():
        marks = row.payload["marks"]
        if not marks:
            continue
        head = image_values(row, reading)
        last = [text(row.batch), row.status, text(reading.name(row.annotator))]
        for mark in marks:
            yield [*head, *values(*_ITSELF(mark)), _pins(mark["pins"]), *last]


def _pins(pins: list[Mapping[str, Any]]) -> str:
    """Return the pins as `x y; x y`."""
    return "; ".join([f"{pin['x']} {pin['y']}" for pin in pins]) if pins else ""

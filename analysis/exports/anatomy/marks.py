"""One line per mark."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import islice
from operator import itemgetter
from typing import Any, Final, TypeVar

from analysis.exports.anatomy.sums import ScoreSums
from analysis.exports.columns import LINES_PER_PIECE, ExportColumn, Kind, Line, Value, columns, csv_fields
from analysis.exports.shared_columns import AUTHOR_COLUMN, IMAGE_COLUMNS, image_values
from analysis.exports.source import ExportSource

MARKS_COLUMNS = (
    *IMAGE_COLUMNS,
    *columns(Kind.TEXT, "error_type", "body_part", "severity"),
    *columns(Kind.INTEGER, "affected", "total"),
    ExportColumn("own_total", Kind.TRUTH),
    *columns(Kind.NUMBER, "error_fraction", "weight", "score"),
    *columns(Kind.TEXT, "pins", "batch", "status"),
    AUTHOR_COLUMN,
)
Part = TypeVar("Part", str, list[Value])
_ITSELF: Final = itemgetter("type", "part", "severity", "affected", "total", "own_total")


def marks_lines(reading: ExportSource) -> Iterator[Line]:
    """Yield the marks of every annotation in cell order."""
    for head, counted, pins, last in _parts(reading, list):
        yield [*head, *counted, pins, *last]


def marks_csv(reading: ExportSource) -> Iterator[list[str]]:
    """Yield the same lines as CSV, assembled from cached pieces."""
    lines = (f"{head},{counted},{pins},{last}" for head, counted, pins, last in _parts(reading, csv_fields))
    while piece := list(islice(lines, LINES_PER_PIECE)):
        yield piece


def _parts(reading: ExportSource, made: Callable[[Line], Part]) -> Iterator[tuple[Part, Part, str, Part]]:
    """Yield image, mark, pins and annotation columns of every mark."""
    text, dialect = reading.dialect.text, reading.dialect
    weights = reading.project.exact_weights
    sums = ScoreSums(weights)

    # Most marks repeat earlier ones, so each distinct one is processed once.
    @cache
    def values(
        error_type: str, part: str, severity: str, affected: int, total: int | None, own: bool
    ) -> Part:
        counted: Line = [error_type, part, severity, affected, total, dialect.truth(own)]
        weight = dialect.number(*weights[severity].as_integer_ratio())
        if total is None:
            return made([*counted, None, weight, None])
        fraction, score = sums.fraction(affected, total), sums.score(severity, affected, total)
        return made([*counted, dialect.number(fraction, sums.unit), weight, dialect.number(score, sums.unit)])

    @cache
    def answer(batch: str, status: str, annotator: str) -> Part:
        return made([text(batch), status, text(reading.name(annotator))])

    for row in reading.rows():
        marks = row.said["marks"]
        if not marks:
            continue
        head, last = made(image_values(row, reading)), answer(row.batch, row.status, row.annotator)
        for mark in marks:
            pins = mark["pins"]
            yield head, values(*_ITSELF(mark)), _text(pins) if pins else "", last


def _text(pins: list[Mapping[str, Any]]) -> str:
    """Return the pins as `x y; x y`."""
    return "; ".join([f"{pin['x']} {pin['y']}" for pin in pins])

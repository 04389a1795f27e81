"""The layouts of the anatomy protocol; every column is described in docs/reference/data-formats.md."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from operator import itemgetter
from typing import Any, Final

from analysis.exports.anatomy import column_descriptions
from analysis.exports.anatomy.cells import COUNT_COLUMNS, SCORE_COLUMNS, count_values, texts_of
from analysis.exports.anatomy.scores import SCORES_COLUMNS, scores_lines, summed
from analysis.exports.anatomy.sums import ScoreSums
from analysis.exports.chunks import PAYLOAD
from analysis.exports.columns import ExportColumn, Kind, Line, Value, columns
from analysis.exports.image_rows import image_columns, image_lines
from analysis.exports.layout import Layout
from analysis.exports.shared_columns import (
    AUTHOR_COLUMN,
    IMAGE_COLUMNS,
    ORIGIN_COLUMNS,
    image_values,
    images_layout,
    origin_values,
)
from analysis.exports.source import ExportSource
from annotator.annotations.unreadable import says_nothing
from scoring.grid.taxonomy import SHEET_COLUMNS as HEADINGS

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
IMAGES_COLUMNS = image_columns(SCORE_COLUMNS)
SHEET_COLUMNS: Final = (*IMAGE_COLUMNS, *columns(Kind.TEXT, *HEADINGS[4:-1]), AUTHOR_COLUMN)


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


def images_lines(reading: ExportSource) -> Iterator[Line]:
    """Yield the images that have annotations; see `image_lines`."""
    sums, number = ScoreSums(reading.project.exact_weights), reading.dialect.number

    def written(scores: list[list[int | None]]) -> list[Value]:
        together = scores[0] if len(scores) == 1 else _together(scores)
        return [None if value is None else number(value, sums.unit * len(scores)) for value in together]

    return image_lines(
        reading,
        lambda row: not says_nothing(row.said),
        PAYLOAD,
        lambda row: summed(row.said["marks"], sums),
        lambda _, payload: summed(payload["marks"], sums),
        written,
    )


def _together(scores: list[list[int | None]]) -> list[int | None]:
    """Return the sums over annotations; None if any is unknown, such as without a total."""
    if not scores:
        return [None] * len(SCORE_COLUMNS)
    return [None if None in values else sum(values) for values in zip(*scores, strict=True)]


def sheet_lines(reading: ExportSource) -> Iterator[Line]:
    """Yield the annotations."""
    text = reading.dialect.text
    for row in reading.rows():
        cells = [text(cell) if cell else cell for cell in texts_of(row)]
        yield [*image_values(row, reading), *cells, text(reading.name(row.annotator))]


SHEET: Final = Layout(
    "sheet",
    "Sheet",
    "The 30 columns of the published sheet. Imported cells keep their original text.",
    "one row per annotation in the 30 columns of the published study",
    SHEET_COLUMNS,
    column_descriptions.SHEET,
    sheet_lines,
    one_header=True,
    ends_last_line=False,
)
SCORES: Final = Layout(
    "scores",
    "Scores",
    "One row per annotation: 25 cell scores, cumulative score, overall severity. Nothing is averaged; "
    "adjudicated values are in Images. Overall severity compares an annotator's scores with each other, so "
    "the same score may be medium for one annotator and high for another.",
    "one row per annotation: 25 cell scores, cumulative score, severity sums",
    SCORES_COLUMNS,
    column_descriptions.SCORES,
    scores_lines,
    with_attributes=True,
    marks_drafts=True,
    reads_all=True,
    in_parquet=True,
)
MARKS: Final = Layout(
    "marks",
    "Marks",
    "One row per mark: counts, severity, score, pins.",
    "one row per mark",
    MARKS_COLUMNS,
    column_descriptions.MARKS,
    marks_lines,
    with_attributes=True,
    marks_drafts=True,
    in_parquet=True,
)
IMAGES: Final = images_layout(IMAGES_COLUMNS, column_descriptions.IMAGES, images_lines)
ANATOMY: Final = (SHEET, SCORES, MARKS, IMAGES)

"""The layouts of the anatomy protocol; every column is described in docs/reference/data-formats.md."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cache
from operator import itemgetter
from typing import Any, Final

from analysis.exports.anatomy.cells import (
    CELL_NAMES,
    COUNT_COLUMNS,
    PARTS_OF_ONE,
    PEOPLE,
    SCORE_COLUMNS,
    SCORES_COLUMNS,
    SUM_NAMES,
    THE_CELLS,
    WEIGHTED,
    count_values,
    scores_lines,
    summed,
    texts_of,
)
from analysis.exports.columns import Column, Kind, Line, columns, count, one_of
from analysis.exports.generic.layouts import means_of, written
from analysis.exports.image_rows import image_lines
from analysis.exports.layout import Layout
from analysis.exports.rows import PAYLOAD
from analysis.exports.shared_columns import (
    AUTHOR_COLUMN,
    BATCH,
    IMAGE_COLUMNS,
    ORIGIN_COLUMNS,
    STATUS,
    image_values,
    images_layout,
    origin_values,
)
from analysis.exports.source import ExportSource
from annotator.annotations.unreadable import says_nothing
from scoring.grid.taxonomy import BODY_PARTS, ERROR_TYPES, SEVERITIES

MARKS_COLUMNS: Final = (
    *IMAGE_COLUMNS,
    one_of("error_type", "kind of error", ERROR_TYPES),
    one_of("body_part", "body part", BODY_PARTS),
    one_of("severity", "mild, moderate or severe", SEVERITIES),
    count("affected", "body parts that show the error", "count, 1 to `total`", unit="body parts", least=1),
    count(
        "total",
        "body parts it is counted out of: expected ones for missing and extra, visible ones otherwise",
        "count, 1 to 99",
        unit="body parts",
        least=1,
    ),
    Column(
        "own_total",
        Kind.TRUTH,
        "whether the total was entered for this mark, independently of the image's count",
        "`true`, `false`; `true` for imported marks",
    ),
    Column(
        "error_fraction",
        Kind.NUMBER,
        "`affected / total` (Equation 1)",
        "number above 0, up to 1",
        unit=PARTS_OF_ONE,
        least=0,
    ),
    Column(
        "weight",
        Kind.NUMBER,
        "the severity's weight in this project",
        "number from 0; published: 0.2, 0.5, 1",
        least=0,
    ),
    Column("score", Kind.NUMBER, "`error_fraction × weight`", "number from 0", unit=WEIGHTED, least=0),
    Column(
        "pins",
        meaning="positions of the mark in the image",
        values="`x y; x y`: fractions of width and height from the top left corner, 0 to 1; empty without "
        "pins",
        unit="parts of width and height",
    ),
    *(BATCH, STATUS, AUTHOR_COLUMN, PEOPLE),
    *COUNT_COLUMNS,
    *ORIGIN_COLUMNS,
)
_ITSELF: Final = itemgetter("type", "part", "severity", "affected", "total", "own_total")
SHEET_COLUMNS: Final = (
    *IMAGE_COLUMNS,
    *columns(
        Kind.TEXT,
        *CELL_NAMES,
        meaning="the marks of the cell",
        values="[notation](#the-notation-of-a-cell); empty without an error",
        shown=THE_CELLS,
    ),
    AUTHOR_COLUMN,
)
IMAGE_SCORES: Final = columns(
    Kind.NUMBER,
    *(*CELL_NAMES, "cumulative_score", *SUM_NAMES),
    meaning="as in [scores](#scores): the adjudicated value where there is one, otherwise the mean",
    values="number from 0",
    unit=WEIGHTED,
    least=0,
    shown=f"{THE_CELLS}, `cumulative_score`, {', '.join(f'`{name}`' for name in SUM_NAMES)}",
)


def marks_lines(reading: ExportSource) -> Iterator[Line]:
    """Yield the marks of every annotation in cell order."""
    text, dialect = reading.dialect.text, reading.dialect
    weights = reading.project.exact_weights

    # Most marks repeat earlier ones, so each distinct one is processed once.
    @cache
    def values(error_type: str, part: str, severity: str, affected: int, total: int, own: bool) -> Line:
        counted: Line = [error_type, part, severity, affected, total, dialect.truth(own)]
        share, weight = Fraction(affected, total), weights[severity]
        return [*counted, *written([share, weight, share * weight], reading)]

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
    weights = reading.project.exact_weights
    return image_lines(
        reading,
        lambda row: not says_nothing(row.said),
        PAYLOAD,
        lambda row: summed(row.said["marks"], weights),
        lambda _, payload: summed(payload["marks"], weights),
        lambda found: written(means_of(found, len(SCORE_COLUMNS)), reading),
    )


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
    scores_lines,
    with_attributes=True,
    reads_all=True,
    in_parquet=True,
)
MARKS: Final = Layout(
    "marks",
    "Marks",
    "One row per mark: counts, severity, score, pins.",
    "one row per mark",
    MARKS_COLUMNS,
    marks_lines,
    with_attributes=True,
    in_parquet=True,
)
IMAGES: Final = images_layout(IMAGE_SCORES, images_lines)
ANATOMY: Final = (SHEET, SCORES, MARKS, IMAGES)

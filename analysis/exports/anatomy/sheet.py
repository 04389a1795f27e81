"""The published sheet: one line per annotation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from analysis.exports.anatomy.cells import texts_of
from analysis.exports.columns import Kind, Line, columns
from analysis.exports.shared_columns import AUTHOR_COLUMN, IMAGE_COLUMNS, image_values
from analysis.exports.source import ExportSource
from scoring.grid.taxonomy import SHEET_COLUMNS as HEADINGS

SHEET_COLUMNS: Final = (*IMAGE_COLUMNS, *columns(Kind.TEXT, *HEADINGS[4:-1]), AUTHOR_COLUMN)


def sheet_lines(reading: ExportSource) -> Iterator[Line]:
    """Yield the annotations."""
    text = reading.dialect.text
    for row in reading.rows():
        cells = [text(cell) if cell else cell for cell in texts_of(row)]
        yield [*image_values(row, reading), *cells, text(reading.name(row.annotator))]

"""The sheet of a protocol that has one, with a column for each cell."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from analysis.data.counting import NOTHING_READ
from analysis.exports.column_descriptions import ColumnDescription
from analysis.exports.columns import Kind, Line, columns
from analysis.exports.generic.ratings import Ratings
from analysis.exports.layout import Layout
from analysis.exports.shared_columns import AUTHOR_COLUMN, IMAGE_COLUMNS, image_values
from analysis.exports.source import ExportSource
from annotator.protocols.registry import PAGES
from annotator.protocols.sheet_format import SheetReader
from scoring.protocol import Protocol


def sheet_layouts(protocol: Protocol) -> tuple[Layout, ...]:
    """Return the importable layout `sheet`; nothing for a protocol without a sheet."""
    page = PAGES.get(protocol.slug)
    sheet = page.sheet if page else None
    if sheet is None or sheet.reader is None or sheet.reader.headings:
        return ()
    headings = tuple(sheet.reader.write(protocol.empty()))
    return (
        Layout(
            "sheet",
            "Sheet",
            "The 30 columns of the published sheet, ready to import again.",
            "one row per annotation in the 30 columns of the published study",
            (*IMAGE_COLUMNS, *columns(Kind.TEXT, *headings), AUTHOR_COLUMN),
            (
                ColumnDescription(
                    headings, "whether the annotation marks the cell", sheet.rule, shown="the 25 cells"
                ),
            ),
            _lines(sheet.reader),
            one_header=True,
        ),
    )


def _lines(reader: SheetReader) -> Callable[[ExportSource], Iterator[Line]]:
    def lines(reading: ExportSource) -> Iterator[Line]:
        ratings, text = Ratings(reading), reading.dialect.text
        for row in reading.rows():
            if not ratings.is_read(row):
                reading.not_counted[NOTHING_READ] += 1
                continue
            cells = reader.write(ratings.shown(row.said))
            yield [
                *image_values(row, reading),
                *map(text, cells.values()),
                text(reading.name(row.annotator)),
            ]

    return lines

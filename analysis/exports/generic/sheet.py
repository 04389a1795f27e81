"""The sheet of a protocol that has one, with a column for each cell or question."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

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

STUDY: Final = (
    "The 30 columns of the published sheet, ready to import again.",
    "one row per annotation in the 30 columns of the published study",
)
OWN: Final = (
    "One row per annotation, a column per question, texts and note too, ready to import again.",
    "one row per annotation: the answer to each question, texts and note",
)


def sheet_layouts(protocol: Protocol) -> tuple[Layout, ...]:
    """Return the importable layout `sheet`; nothing for a protocol without a sheet."""
    page = PAGES.get(protocol.slug)
    sheet = page.sheet if page else None
    if sheet is None or sheet.reader is None:
        return ()
    headings, free = tuple(sheet.reader.write(protocol.empty())), free_texts(protocol)
    words, rows = STUDY if protocol.form is None else OWN
    described = (
        ColumnDescription(headings, "whether the annotation marks the cell", sheet.rule, shown="the 25 cells")
        if protocol.form is None
        else ColumnDescription(
            headings, "the answer to each question, and the note", sheet.rule, shown="`QUESTION`"
        )
    )
    return (
        Layout(
            "sheet",
            "Sheet",
            words,
            rows,
            (*IMAGE_COLUMNS, *columns(Kind.TEXT, *headings), AUTHOR_COLUMN),
            (described,),
            _lines(sheet.reader, free),
            one_header=True,
        ),
    )


def free_texts(protocol: Protocol) -> frozenset[str]:
    """Return the columns that may name people, whom pseudonyms hide: the texts of a form, and the note."""
    items = protocol.form["items"] if protocol.form else ()
    return frozenset({"note", *(item["name"] for item in items if item["kind"] == "text")})


def _lines(reader: SheetReader, free: frozenset[str]) -> Callable[[ExportSource], Iterator[Line]]:
    def lines(reading: ExportSource) -> Iterator[Line]:
        ratings, text = Ratings(reading), reading.dialect.text
        for row in reading.rows():
            if not ratings.is_read(row):
                reading.not_counted[NOTHING_READ] += 1
                continue
            cells = reader.write(ratings.shown(row.said))
            yield [
                *image_values(row, reading),
                *("" if reading.hidden and name in free else text(cell) for name, cell in cells.items()),
                text(reading.name(row.annotator)),
            ]

    return lines

"""The published sheet: one line per annotation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final

from analysis.exports.anatomy.cells import PLACES, as_written, cell_texts, notation, texts_of
from analysis.exports.anatomy.scanning import Scanner
from analysis.exports.chunks import PAYLOAD, SOURCE, decoded
from analysis.exports.columns import Kind, Line, columns, csv_field, csv_fields
from analysis.exports.identifying_columns import HEAD_FIELDS, head
from analysis.exports.shared_columns import AUTHOR_COLUMN, IMAGE_COLUMNS, image_values
from analysis.exports.source import ExportSource
from scoring.formula_guard import guarded
from scoring.grid.taxonomy import CELLS
from scoring.grid.taxonomy import SHEET_COLUMNS as HEADINGS

SHEET_COLUMNS: Final = (*IMAGE_COLUMNS, *columns(Kind.TEXT, *HEADINGS[4:-1]), AUTHOR_COLUMN)
_EMPTY: Final = [""] * len(CELLS)


def sheet_lines(reading: ExportSource) -> Iterator[Line]:
    """Yield the annotations as lists of values."""
    text = reading.dialect.text
    for row in reading.rows():
        cells = [text(cell) if cell else cell for cell in texts_of(row)]
        yield [*image_values(row, reading), *cells, text(reading.name(row.annotator))]


def sheet_csv(reading: ExportSource) -> Iterator[list[str]]:
    """Yield the same lines as CSV, a chunk at a time."""
    scan = Scanner(lambda mark: (PLACES[mark["type"], mark["part"]], notation(mark))).marks

    @cache
    def author(member: int) -> str:
        return csv_field(guarded(reading.name(reading.code(member))))

    ids = reading.image_ids
    for rows in reading.chunks(("assignment__annotator_id", *HEAD_FIELDS, SOURCE, PAYLOAD)):
        lines = []
        for row, terms in zip(rows, scan(row[-1] for row in rows), strict=True):
            _, member, image, generator, prompt, number, written, _ = row
            source = decoded(written) if written else None
            cells = _cells(terms) if source is None else _imported(terms, source)
            begin = head(ids[image], generator, prompt, number)
            lines.append(f"{begin},{cells},{author(member)}")
        yield lines


def _cells(terms: list[tuple[int, str]]) -> str:
    """Return the cells of an annotation made here as part of a line; only commas need quoting."""
    texts = _EMPTY.copy()
    for place, term in terms:
        if texts[place]:
            return ",".join([f'"{text}"' if "," in text else text for text in cell_texts(terms)])
        texts[place] = term
    return ",".join(texts)


def _imported(terms: list[tuple[int, str]], source: Mapping[str, Any]) -> str:
    return csv_fields([guarded(text) for text in as_written(source, cell_texts(terms))])

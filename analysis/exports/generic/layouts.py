"""The layouts of protocols without their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from analysis.data.counting import NOTHING_READ
from analysis.exports.columns import Column, Kind, Line, columns, one_of
from analysis.exports.generic.lines import images_lines, ratings_lines, scores_lines
from analysis.exports.generic.ratings import Ratings, places_of
from analysis.exports.layout import Layout
from analysis.exports.shared_columns import (
    ANSWER_COLUMNS,
    AUTHOR_COLUMN,
    IMAGE_COLUMNS,
    ORIGIN_COLUMNS,
    TAG_COLUMNS,
    image_values,
    images_layout,
)
from analysis.exports.source import ExportSource
from annotator.protocols.registry import PAGES
from annotator.protocols.sheet_format import SheetReader
from scoring.protocol import Protocol, Variable


def sheet_layouts(protocol: Protocol) -> tuple[Layout, ...]:
    """Return the importable layout `sheet`; nothing for a protocol without one that is written."""
    page = PAGES.get(protocol.slug)
    sheet = page.sheet if page else None
    if sheet is None or sheet.reader is None or sheet.reader.exported is None:
        return ()
    words, rows, meaning, shown = sheet.reader.exported
    headings, free = tuple(sheet.reader.write(protocol.empty())), free_texts(protocol)
    cells = columns(Kind.TEXT, *headings, meaning=meaning, values=sheet.rule, shown=shown)
    return (
        Layout(
            "sheet",
            "Sheet",
            words,
            rows,
            (*IMAGE_COLUMNS, *cells, AUTHOR_COLUMN),
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


def heading(variable: str, component: str) -> str:
    """Return the name of a number's column: `presence.extra.hands`."""
    return f"{variable}.{component}" if component else variable


def measure_columns(protocol: Protocol, *, of_images: bool) -> tuple[Column, ...]:
    """Return a column for each number of an annotation; enumerated ones are whole, but not their means."""
    variables = {variable.name: variable for variable in protocol.variables}
    return tuple(_measured(variables[place[0]], heading(*place), of_images) for place in places_of(protocol))


def _measured(variable: Variable, name: str, of_images: bool) -> Column:
    return Column(
        name,
        Kind.INTEGER if variable.values and not of_images else Kind.NUMBER,
        f"{variable.title[:1].lower()}{variable.title[1:]}",
        variable.value_domain,
        least=min(variable.values) if variable.values else None,
        shown=f"`{heading(variable.name, 'COMPONENT' if variable.components else '')}`",
    )


def ratings_columns(protocol: Protocol) -> tuple[Column, ...]:
    """Return the columns of a row per rating."""
    names = tuple(variable.name for variable in protocol.variables)
    return (
        *IMAGE_COLUMNS,
        one_of("variable", "what is measured", names),
        Column(
            "component",
            meaning="the component that is measured",
            values="text; empty where it is of the whole image",
        ),
        Column("value", Kind.NUMBER, "the number", "number; those of a component that are 0 have no row"),
        *ANSWER_COLUMNS,
        *ORIGIN_COLUMNS,
    )


def generic_layouts(protocol: Protocol) -> tuple[Layout, ...]:
    """Return `scores`, `ratings` and `images` with a protocol's columns.

    Raise ValueError if two columns would have the same name.
    """
    headline = protocol.headline.title.lower()
    numbers = measure_columns(protocol, of_images=False)
    return (
        Layout(
            "scores",
            "Scores",
            f"One row per annotation: {headline} and a column for each component of each measure.",
            f"one row per annotation: {headline}, every measure by component",
            (*IMAGE_COLUMNS, *numbers, *TAG_COLUMNS, *ANSWER_COLUMNS, *ORIGIN_COLUMNS),
            scores_lines,
            marks_drafts=True,
            in_parquet=True,
            with_attributes=True,
        ),
        Layout(
            "ratings",
            "Ratings",
            "One row per rating: measure, component, value.",
            "one row per rating",
            ratings_columns(protocol),
            ratings_lines,
            marks_drafts=True,
            in_parquet=True,
            with_attributes=True,
        ),
        images_layout(measure_columns(protocol, of_images=True), images_lines),
    )

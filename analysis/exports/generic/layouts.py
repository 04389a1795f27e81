"""The layouts of protocols without their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from analysis.data.counting import NOTHING_READ
from analysis.exports.column_descriptions import ColumnDescription, of
from analysis.exports.columns import ExportColumn, Kind, Line, columns
from analysis.exports.generic.lines import images_lines, ratings_lines, scores_lines
from analysis.exports.generic.ratings import Ratings, places_of
from analysis.exports.image_rows import image_columns
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

STUDY: Final = (
    "The 30 columns of the published sheet, ready to import again.",
    "one row per annotation in the 30 columns of the published study",
)
OWN: Final = (
    "One row per annotation, a column per question, texts and note too, ready to import again.",
    "one row per annotation: the answer to each question, texts and note",
)
RATINGS_COLUMNS: Final = (
    *IMAGE_COLUMNS,
    *columns(Kind.TEXT, "variable", "component"),
    ExportColumn("value", Kind.NUMBER),
    *ANSWER_COLUMNS,
    *ORIGIN_COLUMNS,
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


def scores_columns(protocol: Protocol) -> tuple[ExportColumn, ...]:
    """Return the columns of a row per annotation; enumerated numbers are whole."""
    whole = {variable.name for variable in protocol.variables if variable.values}
    numbers = [
        ExportColumn(heading(*place), Kind.INTEGER if place[0] in whole else Kind.NUMBER)
        for place in places_of(protocol)
    ]
    return (*IMAGE_COLUMNS, *numbers, *TAG_COLUMNS, *ANSWER_COLUMNS, *ORIGIN_COLUMNS)


def images_columns(protocol: Protocol) -> tuple[ExportColumn, ...]:
    """Return the columns of a row per image, whose numbers may be means."""
    numbers = columns(Kind.NUMBER, *(heading(*place) for place in places_of(protocol)))
    return image_columns(numbers)


def heading(variable: str, component: str) -> str:
    """Return the name of a number's column: `presence.extra.hands`."""
    return f"{variable}.{component}" if component else variable


def measure_entries(protocol: Protocol) -> tuple[ColumnDescription, ...]:
    """Return the column descriptions of a protocol's measures, of annotations and of images."""
    return tuple(_entry(variable) for variable in protocol.variables)


def ratings_entries(protocol: Protocol) -> tuple[ColumnDescription, ...]:
    """Return the column descriptions of a row per rating."""
    names = tuple(variable.name for variable in protocol.variables)
    return (
        of("variable", "what is measured", ", ".join(f"`{name}`" for name in names), only=names),
        of("component", "the component that is measured", "text; empty where it is of the whole image"),
        of("value", "the number", "number; those of a component that are 0 have no row"),
    )


def _entry(variable: Variable) -> ColumnDescription:
    names = tuple(heading(variable.name, component) for component in variable.components or ("",))
    return ColumnDescription(
        names,
        f"{variable.title[:1].lower()}{variable.title[1:]}",
        variable.value_domain,
        least=min(variable.values) if variable.values else None,
        shown=f"`{heading(variable.name, 'COMPONENT' if variable.components else '')}`",
    )


def generic_layouts(protocol: Protocol) -> tuple[Layout, ...]:
    """Return `scores`, `ratings` and `images` with a protocol's columns.

    Raise ValueError if two columns would have the same name.
    """
    headline = protocol.headline.title.lower()
    return (
        Layout(
            "scores",
            "Scores",
            f"One row per annotation: {headline} and a column for each component of each measure.",
            f"one row per annotation: {headline}, every measure by component",
            scores_columns(protocol),
            measure_entries(protocol),
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
            RATINGS_COLUMNS,
            ratings_entries(protocol),
            ratings_lines,
            marks_drafts=True,
            in_parquet=True,
            with_attributes=True,
        ),
        images_layout(images_columns(protocol), measure_entries(protocol), images_lines),
    )

"""The layouts of protocols without their own."""

from __future__ import annotations

from typing import Final

from analysis.exports.column_descriptions import ColumnDescription, of
from analysis.exports.columns import ExportColumn, Kind, columns
from analysis.exports.generic.lines import images_lines, ratings_lines, scores_lines
from analysis.exports.generic.ratings import places_of
from analysis.exports.image_rows import image_columns
from analysis.exports.layout import Layout
from analysis.exports.shared_columns import (
    ANSWER_COLUMNS,
    IMAGE_COLUMNS,
    ORIGIN_COLUMNS,
    TAG_COLUMNS,
    images_layout,
)
from scoring.protocol import Protocol, Variable

RATINGS_COLUMNS: Final = (
    *IMAGE_COLUMNS,
    *columns(Kind.TEXT, "variable", "component"),
    ExportColumn("value", Kind.NUMBER),
    *ANSWER_COLUMNS,
    *ORIGIN_COLUMNS,
)


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

"""Columns that several layouts share."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from analysis.exports.chunks import decoded
from analysis.exports.column_descriptions import TAGS, ColumnDescription
from analysis.exports.columns import ExportColumn, Kind, Line, columns
from analysis.exports.layout import Layout
from analysis.exports.rows import AnnotationRow
from analysis.exports.source import ExportSource

# The published sheet has these headings.
IMAGE_ID, MODEL, PROMPT, NUMBER = "Image Id", "Model", "Prompt", "Pic Num."
IMAGE_COLUMNS = (*columns(Kind.TEXT, IMAGE_ID, MODEL, PROMPT), ExportColumn(NUMBER, Kind.INTEGER))
TAG_COLUMNS = columns(Kind.TEXT, *TAGS.names)
AUTHOR_COLUMN = ExportColumn("Annotator")
ORIGIN_COLUMNS = columns(Kind.TEXT, "drawn", "guideline")
ANSWER_COLUMNS = (*columns(Kind.TEXT, "batch", "status", "submitted_at"), AUTHOR_COLUMN)


def images_layout(
    columns: tuple[ExportColumn, ...],
    entries: tuple[ColumnDescription, ...],
    lines: Callable[[ExportSource], Iterator[Line]],
) -> Layout:
    """Return the layout of a row per image with the given columns."""
    return Layout(
        "images",
        "Images",
        "One row per image: the adjudicated value, or the mean of its annotations.",
        "one row per annotated image: its adjudicated value, or the mean of its annotations",
        columns,
        entries,
        lines,
        in_parquet=True,
        with_attributes=True,
    )


def annotation_values(row: AnnotationRow, reading: ExportSource) -> Line:
    """Return the values of ANSWER_COLUMNS."""
    text = reading.dialect.text
    return [text(row.batch), row.status, row.submitted_at, text(reading.name(row.annotator))]


def origin_values(row: AnnotationRow, reading: ExportSource) -> Line:
    """Return the values of ORIGIN_COLUMNS, then the attributes of the image."""
    return [row.drawn, row.guideline or "", *attribute_values(row, reading)]


def attribute_values(row: AnnotationRow, reading: ExportSource) -> Line:
    """Return the attributes of the row's image that the project's images have; empty texts for others."""
    if not reading.attributes:
        return []
    text, own = reading.dialect.text, decoded(row.attributes)
    return [text(str(own.get(name, ""))) for name in reading.attributes]


def tag_values(tags: Collection[int], reading: ExportSource) -> Line:
    """Return the values of TAG_COLUMNS for the numbers of the tags ticked."""
    text = reading.dialect.text
    return [text(name) if number in tags else "" for number, name in reading.tags]


def image_values(row: AnnotationRow, reading: ExportSource) -> Line:
    """Return the values of IMAGE_COLUMNS."""
    text = reading.dialect.text
    return [text(row.image_id), text(row.generator), text(row.prompt), row.number]

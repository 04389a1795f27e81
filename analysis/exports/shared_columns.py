"""Columns that several layouts share, and their values."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from typing import Final

from analysis.exports.columns import Column, Kind, Line, columns, count
from analysis.exports.layout import Layout
from analysis.exports.rows import AnnotationRow, decoded
from analysis.exports.source import ExportSource

# The published sheet has these headings.
MODEL: Final = Column(
    "Model",
    meaning="the generator: the text-to-image model that made the image",
    shown="`Model`, `generator`",
)
PROMPT: Final = Column("Prompt", meaning="the prompt it was given", shown="`Prompt`, `prompt`")
NUMBER: Final = count(
    "Pic Num.",
    "the image's number within generator and prompt",
    "whole number from 0; missing if it has none",
    shown="`Pic Num.`, `number`",
)
IMAGE_ID: Final = Column(
    "Image Id",
    meaning="unique in the project: the id of the imported rows if no other image has it, else generator, "
    "prompt and number joined by `_`",
    values="text, `dall-e3_couple hugging_01`",
)
IMAGE_COLUMNS: Final = (IMAGE_ID, MODEL, PROMPT, NUMBER)
PLAIN_NAMES: Final = tuple(
    replace(column, name=name)
    for column, name in ((MODEL, "generator"), (PROMPT, "prompt"), (NUMBER, "number"))
)
"""Generator, prompt and number under the names of layouts that the published study does not have."""
SHA256: Final = Column("sha256", meaning="SHA-256 of the original image file", values="64 hexadecimal digits")
PROMPT_GROUP: Final = Column("prompt_group", meaning="the group of the prompt")
TAG_COLUMNS: Final = columns(
    Kind.TEXT,
    *("tag_1", "tag_2"),
    meaning="the project's first and second tag, where the annotator ticked it",
    values="text: the name of the tag; empty where it is not ticked or the project has none",
)
AUTHOR_COLUMN: Final = Column(
    "Annotator",
    meaning="the code under which the person appears in this project, or a [pseudonym](#pseudonyms)",
)
ANSWER_COLUMNS: Final = (
    BATCH := Column("batch", meaning="batch of the assignment"),
    STATUS := Column(
        "status",
        meaning="whether the annotation counts",
        values="`submitted`",
        only=("submitted",),
    ),
    SUBMITTED_AT := Column(
        "submitted_at",
        meaning="when the annotation was submitted; for imported ones, when they were imported",
        values="`2026-03-01T09:30:00Z`, always UTC",
        moment=True,
    ),
    AUTHOR_COLUMN,
)
ORIGIN_COLUMNS: Final = (
    Column(
        "drawn",
        meaning="how the image came to have several annotators",
        values="`single`: it has one in this batch; `random`: several by the plan; `targeted`: this "
        "annotation was requested because of earlier ones; `unknown`: imported without this information",
        only=("single", "random", "targeted", "unknown"),
    ),
    Column(
        "guideline",
        meaning="the version of the project's guideline in force when the annotation was submitted",
        values="text, `1.2`; empty without a published guideline and for imports",
    ),
)
JUDGED_COLUMNS: Final = (
    Column(
        "value",
        meaning="source of the row's scores: one annotation, the mean of several, or an adjudicated value",
        values="`single`, `mean`, `adjudicated`; `unread` if no annotation was readable",
        only=("single", "mean", "adjudicated", "unread"),
    ),
    count(
        "annotations",
        "annotations of the image in this file, one per annotator; scores are their mean",
        "count; 0 if no annotation was readable",
        unit="annotations",
    ),
    Column("annotators", meaning="their annotators, joined by `; `"),
)
SHARED: Final = (
    *(*IMAGE_COLUMNS, *ANSWER_COLUMNS, *ORIGIN_COLUMNS, *TAG_COLUMNS, PROMPT_GROUP, SHA256),
    *JUDGED_COLUMNS,
)
"""The columns that docs/reference/data-formats.md describes once for all layouts."""


def images_layout(numbers: tuple[Column, ...], lines: Callable[[ExportSource], Iterator[Line]]) -> Layout:
    """Return the layout of a row per image with the columns of its numbers."""
    return Layout(
        "images",
        "Images",
        "One row per image: the adjudicated value, or the mean of its annotations.",
        "one row per annotated image: its adjudicated value, or the mean of its annotations",
        (*IMAGE_COLUMNS, PROMPT_GROUP, SHA256, *numbers, *JUDGED_COLUMNS),
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

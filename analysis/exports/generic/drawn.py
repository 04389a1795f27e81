"""How images came to several annotators: one row per annotation.

A layout of its own, so that the files of annotations keep their columns.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from django.db.models import TextField, Value
from django.db.models.functions import Concat

from analysis.exports.column_descriptions import SUBMITTED_AT, of
from analysis.exports.columns import Kind, Line, columns
from analysis.exports.layout import Layout
from analysis.exports.shared_columns import ANSWER_COLUMNS, IMAGE_COLUMNS, annotation_values, image_values
from analysis.exports.source import ExportSource
from annotator.models import Assignment

# As JSON, which the reader of rows expects.
_DRAWN: Final = Concat(Value('"'), "assignment__drawn", Value('"'), output_field=TextField())


def drawn_lines(reading: ExportSource) -> Iterator[Line]:
    """Yield the annotations in the order they were stored."""
    for row in reading.rows(said=_DRAWN):
        yield [*image_values(row, reading), *annotation_values(row, reading), row.said]


DRAWN: Final = Layout(
    "drawn",
    "Overlap",
    "One row per annotation: whether its image was assigned to several annotators at random.",
    "one row per annotation: whether its image was assigned to several annotators at random",
    (*IMAGE_COLUMNS, *ANSWER_COLUMNS, *columns(Kind.TEXT, "drawn")),
    (
        of(
            "drawn",
            "how the image came to have several annotators",
            "`single`: it has one in this batch; `random`: several by the plan; `targeted`: this annotation "
            "was requested because of earlier ones; `unknown`: imported without this information",
            only=tuple(Assignment.Drawn.values),
        ),
        SUBMITTED_AT,
    ),
    drawn_lines,
    marks_drafts=True,
)

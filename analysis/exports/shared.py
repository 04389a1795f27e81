"""Columns that several layouts begin or end with."""

from __future__ import annotations

from analysis.exports.columns import Column, Kind, Line, columns
from analysis.exports.reading import Reading
from analysis.exports.rows import AnswerRow

# The published sheet has these headings.
IMAGE_ID, MODEL, PROMPT, NUMBER = "Image Id", "Model", "Prompt", "Pic Num."
IMAGE_COLUMNS = (*columns(Kind.TEXT, IMAGE_ID, MODEL, PROMPT), Column(NUMBER, Kind.INTEGER))
AUTHOR_COLUMN = Column("Annotator")


def image_values(row: AnswerRow, reading: Reading) -> Line:
    """What stands under IMAGE_COLUMNS."""
    text = reading.dialect.text
    return [text(row.image_id), text(row.generator), text(row.prompt), row.number]

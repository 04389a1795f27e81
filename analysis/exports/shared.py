"""Columns that several layouts begin or end with."""

from __future__ import annotations

from analysis.exports.columns import Column, Kind, Line, columns
from analysis.exports.reading import Reading
from analysis.exports.rows import AnswerRow
from scoring.anatomy.taxonomy import CELLS, SEVERITIES, SHEET_COLUMNS

IMAGE_ID, MODEL, PROMPT, NUMBER = SHEET_COLUMNS[:4]
IMAGE_COLUMNS = (*columns(Kind.TEXT, IMAGE_ID, MODEL, PROMPT), Column(NUMBER, Kind.INTEGER))
AUTHOR_COLUMN = Column(SHEET_COLUMNS[-1])
SCORE_COLUMNS = columns(
    Kind.NUMBER,
    *(cell.heading for cell in CELLS),
    "cumulative_score",
    *(f"severity_{severity}" for severity in SEVERITIES),
)


def image_values(row: AnswerRow, reading: Reading) -> Line:
    """What stands under IMAGE_COLUMNS."""
    text = reading.dialect.text
    return [text(row.image_id), text(row.generator), text(row.prompt), row.number]

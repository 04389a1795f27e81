"""The layouts of the anatomy protocol; every column is described in docs/reference/data-formats.md."""

from __future__ import annotations

from typing import Final

from analysis.exports.anatomy import column_descriptions
from analysis.exports.anatomy.images import IMAGES_COLUMNS, images_lines
from analysis.exports.anatomy.marks import MARKS_COLUMNS, marks_lines
from analysis.exports.anatomy.scores import SCORES_COLUMNS, scores_lines
from analysis.exports.anatomy.sheet import SHEET_COLUMNS, sheet_lines
from analysis.exports.layout import Layout
from analysis.exports.shared_columns import images_layout

SHEET: Final = Layout(
    "sheet",
    "Sheet",
    "The 30 columns of the published sheet. Imported cells keep their original text.",
    "one row per annotation in the 30 columns of the published study",
    SHEET_COLUMNS,
    column_descriptions.SHEET,
    sheet_lines,
    one_header=True,
    ends_last_line=False,
)
SCORES: Final = Layout(
    "scores",
    "Scores",
    "One row per annotation: 25 cell scores, cumulative score, overall severity. Nothing is averaged; "
    "adjudicated values are in Images. Overall severity compares an annotator's scores with each other, so "
    "the same score may be medium for one annotator and high for another.",
    "one row per annotation: 25 cell scores, cumulative score, severity sums",
    SCORES_COLUMNS,
    column_descriptions.SCORES,
    scores_lines,
    with_attributes=True,
    marks_drafts=True,
    reads_all=True,
    in_parquet=True,
)
MARKS: Final = Layout(
    "marks",
    "Marks",
    "One row per mark: counts, severity, score, pins.",
    "one row per mark",
    MARKS_COLUMNS,
    column_descriptions.MARKS,
    marks_lines,
    with_attributes=True,
    marks_drafts=True,
    in_parquet=True,
)
IMAGES: Final = images_layout(IMAGES_COLUMNS, column_descriptions.IMAGES, images_lines)
ANATOMY: Final = (SHEET, SCORES, MARKS, IMAGES)

"""The layouts; every column is described in docs/data-formats.md."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from analysis.exports.columns import Column, Line
from analysis.exports.images import IMAGES_COLUMNS, images_lines
from analysis.exports.marks import MARKS_COLUMNS, marks_csv, marks_lines
from analysis.exports.reading import Reading
from analysis.exports.report_lines import REPORT_COLUMNS, agreement_lines, comparison_lines
from analysis.exports.scores import SCORES_COLUMNS, scores_lines
from analysis.exports.scores_csv import scores_csv
from analysis.exports.sheet import SHEET_COLUMNS, sheet_csv, sheet_lines


@dataclass(frozen=True)
class Layout:
    """A file's columns and where its lines come from; `words` is what a page says of it."""

    slug: str
    title: str
    words: str
    columns: tuple[Column, ...]
    lines: Callable[[Reading], Iterator[Line]]
    # The same lines as CSV without their ends, for a layout that writes them faster than value by value.
    csv: Callable[[Reading], Iterator[list[str]]] | None = None
    # The published sheet has no line end after its last row, and the export equals it to the byte.
    ends_last_line: bool = True
    # Drafts may be asked for: a column says what is one.
    marks_drafts: bool = False
    # A stored report is about the whole project.
    of_report: bool = False
    # Every answer of the project is read, whatever the filters.
    reads_all: bool = False

    @property
    def headings(self) -> tuple[str, ...]:
        """The columns' names."""
        return tuple(column.name for column in self.columns)


SHEET = Layout(
    "sheet",
    "Sheet",
    "The 30 columns of the published sheet; imported cells exactly as they came.",
    SHEET_COLUMNS,
    sheet_lines,
    csv=sheet_csv,
    ends_last_line=False,
)
SCORES = Layout(
    "scores",
    "Scores",
    "One row per annotation: 25 cell scores, cumulative score, overall severity.",
    SCORES_COLUMNS,
    scores_lines,
    csv=scores_csv,
    marks_drafts=True,
    reads_all=True,
)
MARKS = Layout(
    "marks",
    "Marks",
    "One row per mark: counts, severity, score, pins.",
    MARKS_COLUMNS,
    marks_lines,
    csv=marks_csv,
    marks_drafts=True,
)
IMAGES = Layout(
    "images",
    "Images",
    "One row per image: the value a lead settled, or the mean where several people judged it.",
    IMAGES_COLUMNS,
    images_lines,
)
AGREEMENT = Layout(
    "agreement",
    "Agreement",
    "Every number of the newest agreement report, one per row, with its interval.",
    REPORT_COLUMNS,
    agreement_lines,
    of_report=True,
)
COMPARISON = Layout(
    "comparison",
    "Comparison",
    "Every number of the newest comparison report, one per row, with its interval.",
    REPORT_COLUMNS,
    comparison_lines,
    of_report=True,
)
LAYOUTS: Mapping[str, Layout] = {
    layout.slug: layout for layout in (SHEET, SCORES, MARKS, IMAGES, AGREEMENT, COMPARISON)
}

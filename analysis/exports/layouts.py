"""The three layouts; every column is described in docs/data-formats.md."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from analysis.exports.rows import AnswerRow, safe
from scoring.anatomy.scores import Weights, cell_score, error_fraction, severity_sums
from scoring.anatomy.taxonomy import CELLS, SEVERITIES, SHEET_COLUMNS

IMAGE_COLUMNS = SHEET_COLUMNS[:4]
AUTHOR_COLUMN = SHEET_COLUMNS[-1]


@dataclass(frozen=True)
class Layout:
    """A file's columns and the lines one answer becomes."""

    slug: str
    title: str
    columns: tuple[str, ...]
    lines: Callable[[AnswerRow, Weights], Iterator[list[str]]]
    # The published sheet has no line end after its last row, and the export equals it to the byte.
    ends_last_line: bool = True


def exact(value: Fraction) -> str:
    """A whole number as such, anything else as the shortest decimal that reads back as the same float."""
    return str(value.numerator) if value.denominator == 1 else repr(float(value))


def _image(row: AnswerRow) -> list[str]:
    number = "" if row.number is None else str(row.number)
    return [safe(row.image_id), safe(row.generator), safe(row.prompt), number]


def _sheet(row: AnswerRow, _: Weights) -> Iterator[list[str]]:
    yield [*_image(row), *(safe(row.cell_text(cell)) for cell in CELLS), safe(row.annotator)]


def _scores(row: AnswerRow, weights: Weights) -> Iterator[list[str]]:
    by_cell = {key: cell_score(terms, weights) for key, terms in row.terms.items()}
    sums = severity_sums(term for terms in row.terms.values() for term in terms)
    yield [
        *_image(row),
        *(exact(by_cell[cell.key]) if cell.key in by_cell else "0" for cell in CELLS),
        exact(sum(by_cell.values(), start=Fraction(0))),
        *(exact(sums[severity]) for severity in SEVERITIES),
        safe(row.batch),
        row.submitted_at.strftime("%Y-%m-%dT%H:%M:%SZ"),
        safe(row.annotator),
    ]


def _marks(row: AnswerRow, weights: Weights) -> Iterator[list[str]]:
    for mark in row.payload["marks"]:
        fraction = error_fraction(mark["affected"], mark["total"])
        weight = weights[mark["severity"]]
        yield [
            *_image(row),
            mark["type"],
            mark["part"],
            mark["severity"],
            str(mark["affected"]),
            str(mark["total"]),
            str(mark["own_total"]).lower(),
            exact(fraction),
            exact(weight),
            exact(fraction * weight),
            safe(row.annotator),
        ]


SHEET = Layout("sheet", "The published 30-column sheet", SHEET_COLUMNS, _sheet, ends_last_line=False)
SCORES = Layout(
    "scores",
    "Scores: one row per annotation",
    (
        *IMAGE_COLUMNS,
        *(cell.heading for cell in CELLS),
        "cumulative_score",
        *(f"severity_{severity}" for severity in SEVERITIES),
        "batch",
        "submitted_at",
        AUTHOR_COLUMN,
    ),
    _scores,
)
MARKS = Layout(
    "marks",
    "Marks: one row per mark",
    (
        *IMAGE_COLUMNS,
        "error_type",
        "body_part",
        "severity",
        "affected",
        "total",
        "own_total",
        "error_fraction",
        "weight",
        "score",
        AUTHOR_COLUMN,
    ),
    _marks,
)
LAYOUTS: Mapping[str, Layout] = {layout.slug: layout for layout in (SHEET, SCORES, MARKS)}

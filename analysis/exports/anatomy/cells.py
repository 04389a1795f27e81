"""The 25 cells of an annotation as text, its exact scores, and how severe they are for its annotator."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from math import floor
from typing import Any, Final

from analysis.data.ratings_table import superseded
from analysis.exports.columns import Column, Kind, Line, columns, count
from analysis.exports.generic.layouts import ZERO, fraction, written
from analysis.exports.rows import PAYLOAD, AnnotationRow, decoded
from analysis.exports.shared_columns import (
    ANSWER_COLUMNS,
    IMAGE_COLUMNS,
    ORIGIN_COLUMNS,
    TAG_COLUMNS,
    annotation_values,
    image_values,
    origin_values,
    tag_values,
)
from analysis.exports.source import ExportSource
from annotator.annotations.unreadable import annotations_without_numbers, says_nothing
from scoring.grid.notation import format_cell, read_cell
from scoring.grid.severity_weights import Weights
from scoring.grid.taxonomy import BODY_PARTS, CELLS, COUNT_KINDS, SEVERITIES

PLACES: Final = {(cell.error_type, cell.body_part): place for place, cell in enumerate(CELLS)}
THE_CELLS: Final = "the 25 cells"
WEIGHTED: Final = "weighted error fractions"
PARTS_OF_ONE: Final = "error fractions"
SUM_NAMES: Final = tuple(f"severity_{severity}" for severity in SEVERITIES)
CELL_NAMES: Final = tuple(cell.heading for cell in CELLS)
_UNLESS_COUNTED: Final = "count; missing if not counted"
PEOPLE: Final = count(
    "people", "the people of the image as the annotator counted them", _UNLESS_COUNTED, least=None
)
_COUNTED: Final = {
    "expected": "body parts that the people of the image should have, as the annotator counted them",
    "visible": "body parts of the image that are visible, as the annotator counted them",
}
COUNT_COLUMNS: Final = tuple(
    column
    for kind in COUNT_KINDS
    for column in columns(
        Kind.INTEGER,
        *(f"{kind}_{part}" for part in BODY_PARTS),
        meaning=_COUNTED[kind],
        values=_UNLESS_COUNTED,
        unit="body parts",
        least=0,
        shown=f"`{kind}_PART`",
    )
)


def count_values(payload: Mapping[str, Any]) -> Line:
    """Return the values of COUNT_COLUMNS: expected and visible body parts; None where nobody counted."""
    counts = payload.get("counts") or {}
    return [counts.get(kind, {}).get(part) for kind in COUNT_KINDS for part in BODY_PARTS]


def texts_of(row: AnnotationRow) -> list[str]:
    """Return the 25 cells of an annotation in sheet order.

    An unchanged imported cell keeps its original text, including unreadable terms; others use canonical
    notation.
    """
    terms = [(PLACES[mark["type"], mark["part"]], notation(mark)) for mark in row.said["marks"]]
    return as_written(row.source, cell_texts(terms))


def cell_texts(terms: Iterable[tuple[int, str]]) -> list[str]:
    """Return the 25 cells in canonical notation, from terms with the positions of their cells."""
    texts = [""] * len(CELLS)
    for place, term in sorted(terms, key=lambda each: (each[0], each[1][-1])):
        texts[place] = f"{texts[place]},{term}" if texts[place] else term
    return texts


def as_written(source: Mapping[str, Any] | None, texts: list[str]) -> list[str]:
    """Return the cells, each as the source wrote it if the meaning is the same."""
    written = (source or {}).get("cells")
    if not written:
        return texts
    return [_kept(str(written.get(cell.heading, "")), text) for cell, text in zip(CELLS, texts, strict=True)]


def notation(mark: Mapping[str, Any]) -> str:
    """Return a mark as a term of a cell: `1/4c`."""
    return f"{mark['affected']}/{mark['total']}{mark['severity']}"


@lru_cache(maxsize=4096)
def _kept(original: str, text: str) -> str:
    """Return the source's text of a cell if it means `text`, else `text`."""
    return original if original and format_cell(read_cell(original)[0]) == text else text


QUANTILES = (0.5, 0.75)
FEWEST = 8
SCORE_COLUMNS: Final = (
    *columns(
        Kind.NUMBER,
        *CELL_NAMES,
        meaning="cell score: the weighted sum of the cell's error fractions",
        values="number from 0, no unit; `0` without an error",
        unit=WEIGHTED,
        least=0,
        shown=THE_CELLS,
    ),
    Column(
        "cumulative_score",
        Kind.NUMBER,
        "sum of the 25 cell scores (Equation 2)",
        "number from 0, no upper limit",
        unit=WEIGHTED,
        least=0,
    ),
    *columns(
        Kind.NUMBER,
        *SUM_NAMES,
        meaning="error fractions of one severity, summed over all cells *without* weights",
        values="number from 0",
        unit=PARTS_OF_ONE,
        least=0,
    ),
)
SCORES_COLUMNS: Final = (
    *IMAGE_COLUMNS,
    *SCORE_COLUMNS,
    Column(
        "overall_severity",
        meaning="the band of the cumulative score: low ≤ 0.5 quantile < medium ≤ 0.75 quantile < high. "
        "Population: the annotator's own scores of all images that they annotated in the project, whatever "
        "the filters, the latest annotation of each; quantiles by linear interpolation. With fewer than 20 "
        "scores, bands are uncertain",
        values="`low`, `medium`, `high`; empty for annotators with fewer than 8 scores",
        only=("low", "medium", "high"),
    ),
    PEOPLE,
    *TAG_COLUMNS,
    *ANSWER_COLUMNS,
    *COUNT_COLUMNS,
    *ORIGIN_COLUMNS,
)
SUMS_OF = {severity: len(CELLS) + 1 + place for place, severity in enumerate(SEVERITIES)}
TOTAL = len(CELLS)


Bands = Mapping[str, tuple[float, ...]]
"""Median and upper quartile of the scores of every annotator with `FEWEST` or more, by code."""


def bands_of(reading: ExportSource) -> Bands:
    """Return the bands over all submitted annotations of the project, ignoring filters.

    Each annotator's latest annotation of an image counts.
    """
    project, weights = reading.project, reading.project.exact_weights
    unread = set(annotations_without_numbers(project).values_list("pk", flat=True))
    earlier = superseded(project, reading.source, unread) | unread
    scores: defaultdict[str, array[float]] = defaultdict(lambda: array("d"))
    for pk, code, payload in reading.every("pk", "assignment__annotator__code", PAYLOAD):
        if pk not in earlier:
            scores[code].append(float(summed(decoded(payload)["marks"], weights)[TOTAL]))
    return {code: _quantiles(sorted(of)) for code, of in scores.items() if len(of) >= FEWEST}


def _quantiles(ordered: Sequence[float]) -> tuple[float, ...]:
    return tuple(_quantile(ordered, quantile) for quantile in QUANTILES)


def _quantile(ordered: Sequence[float], quantile: float) -> float:
    """Return the quantile exactly as `numpy.quantile` does, because scores are compared with it."""
    place = (len(ordered) - 1) * quantile
    below = floor(place)
    low, high = ordered[below], ordered[min(below + 1, len(ordered) - 1)]
    share = place - below
    return low + (high - low) * share if share < 0.5 else high - (high - low) * (1 - share)


def scores_lines(reading: ExportSource) -> Iterator[Line]:
    """Yield the scores of every annotation; empty for an imported row of which nothing was readable."""
    weights, bands = reading.project.exact_weights, bands_of(reading)
    for row in reading.rows():
        if says_nothing(row.said):
            values: Line = [*[None] * len(SCORE_COLUMNS), ""]
        else:
            found = summed(row.said["marks"], weights)
            band = _band(bands.get(row.annotator), float(found[TOTAL]))
            values = [*written(found, reading), band]
        yield [
            *image_values(row, reading),
            *values,
            row.said.get("people"),
            *tag_values(row.tags, reading),
            *annotation_values(row, reading),
            *count_values(row.said),
            *origin_values(row, reading),
        ]


def summed(marks: list[Mapping[str, Any]], weights: Weights) -> list[Fraction]:
    """Return the values of SCORE_COLUMNS."""
    found = [ZERO] * len(SCORE_COLUMNS)
    for mark in marks:
        severity = mark["severity"]
        share = fraction(mark["affected"], mark["total"])
        found[PLACES[mark["type"], mark["part"]]] += share * weights[severity]
        found[TOTAL] += share * weights[severity]
        found[SUMS_OF[severity]] += share
    return found


def _band(bounds: tuple[float, ...] | None, score: float) -> str:
    """Return low up to the median, medium up to the upper quartile, else high; empty if unknown."""
    if bounds is None:
        return ""
    median, upper = bounds
    return "high" if score > upper else "medium" if score > median else "low"

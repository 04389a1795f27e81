"""The 25 cells of an annotation as text, and their scores as whole numbers of a small unit.

Such numbers are as exact as fractions and much faster.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from math import lcm
from typing import Any, Final

from analysis.exports.columns import Kind, Line, columns, count
from analysis.exports.rows import AnnotationRow
from scoring.grid.notation import LARGEST_COUNT, format_cell, read_cell
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
# Divisible by every total, so that every error fraction is a whole number of parts.
PARTS: Final = lcm(*range(1, LARGEST_COUNT + 1))


class ScoreSums:
    """Sums of marks under given weights, in units; divide by `unit` for the score."""

    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self._finest = lcm(*(weight.denominator for weight in weights.values()))
        self.unit = PARTS * self._finest
        self.score = cache(self._score)

    def _score(self, severity: str, affected: int, total: int) -> int:
        """Return the error fraction times the weight, in units."""
        weight = self._weights[severity]
        return affected * (PARTS // total) * weight.numerator * (self._finest // weight.denominator)

    def fraction(self, affected: int, total: int) -> int:
        """Return the error fraction, in units."""
        return affected * (self.unit // total)


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

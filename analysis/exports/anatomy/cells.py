"""The 25 cells of an annotation as text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final

from analysis.exports.columns import Kind, Line, columns
from analysis.exports.rows import AnnotationRow
from annotator.annotations.correcting import CORRECTED
from scoring.grid.notation import format_cell, read_cell
from scoring.grid.taxonomy import BODY_PARTS, CELLS, COUNT_KINDS, SEVERITIES

PLACES: Final = {(cell.error_type, cell.body_part): place for place, cell in enumerate(CELLS)}
SCORE_COLUMNS: Final = columns(
    Kind.NUMBER,
    *(cell.heading for cell in CELLS),
    "cumulative_score",
    *(f"severity_{severity}" for severity in SEVERITIES),
)


_COUNTS: Final = tuple((kind, part) for kind in COUNT_KINDS for part in BODY_PARTS)
COUNT_COLUMNS: Final = columns(Kind.INTEGER, *(f"{kind}_{part}" for kind, part in _COUNTS))


def count_values(payload: Mapping[str, Any]) -> Line:
    """Return the values of COUNT_COLUMNS: expected and visible body parts; None where nobody counted."""
    counts = payload.get("counts") or {}
    return [counts.get(kind, {}).get(part) for kind, part in _COUNTS]


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
    """Return the cells, each as the source wrote it if the meaning is the same.

    What a lead corrected replaces unreadable terms, even if no readable term changes.
    """
    written = (source or {}).get("cells")
    if not written:
        return texts
    kept = _readable if source and CORRECTED in source else _kept
    return [kept(str(written.get(cell.heading, "")), text) for cell, text in zip(CELLS, texts, strict=True)]


def notation(mark: Mapping[str, Any]) -> str:
    """Return a mark as a term of a cell: `1/4c`."""
    return f"{mark['affected']}/{mark['total']}{mark['severity']}"


@lru_cache(maxsize=4096)
def _kept(original: str, text: str) -> str:
    """Return the source's text of a cell if it means `text`, else `text`."""
    return original if original and format_cell(read_cell(original)[0]) == text else text


def _readable(original: str, text: str) -> str:
    """Return the source's text of a cell as `_kept` does, unless parts of it could not be read."""
    return text if original and read_cell(original)[1] else _kept(original, text)

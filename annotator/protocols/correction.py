"""The form in which a lead corrects what an import could not read: one text per cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotator.models import Annotation
from annotator.protocols.adjudication_form import OTHER, AdjudicationForm, CellToAdjudicate
from annotator.protocols.registry import adjudication_for
from scoring.grid.taxonomy import CELL_BY_HEADING


@dataclass(frozen=True)
class CellToCorrect:
    """One cell for display, with why the import could not read it; empty if it could."""

    cell: CellToAdjudicate
    why: Sequence[str]


@dataclass(frozen=True)
class Correction:
    """The form for display: cells by row, and faults of the form as a whole."""

    form: AdjudicationForm
    rows: Sequence[tuple[str, Sequence[CellToCorrect]]]
    faults: Sequence[str]


def correction_of(annotation: Annotation, form: AdjudicationForm) -> Correction:
    """Return a form that shows the problems of the import with its cells."""
    unread = problems_by_cell(annotation)
    rows = [
        (title, [CellToCorrect(cell, unread.get(cell.key, [])) for cell in cells if cell is not None])
        for title, cells in form.agreeing()
    ]
    return Correction(form, rows, form.errors.get("", []))


def correction_form(annotation: Annotation, data: Mapping[str, Any] | None = None) -> AdjudicationForm:
    """Return the cells of an annotation as texts; a cell that could not be read shows what was written.

    `data` is the submitted form. The annotation must be loaded with its batch and annotator.
    """
    kind = adjudication_for(annotation.assignment.batch.protocol)
    if data is not None:
        return kind([annotation], data=data)
    form, written = kind([annotation]), (annotation.source or {}).get("cells", {})
    unread = problems_by_cell(annotation)
    texts = {
        f"{form.field_name(key)}.{OTHER}": form.text_of(annotation.payload, key) for key in kind.titles
    } | {
        f"{form.field_name(cell.key)}.{OTHER}": str(written.get(heading, ""))
        for heading, cell in CELL_BY_HEADING.items()
        if cell.key in unread and cell.key in kind.titles
    }
    return kind([annotation], data=texts)


def problems_by_cell(annotation: Annotation) -> dict[str, list[str]]:
    """Return why cells could not be read, by the cell's key; empty once the annotation has changed."""
    found: dict[str, list[str]] = {}
    problems = (annotation.source or {}).get("problems", ()) if annotation.version == 1 else ()
    for problem in problems:
        if (cell := CELL_BY_HEADING.get(str(problem["column"]))) is not None:
            found.setdefault(cell.key, []).append(f"“{problem['text']}”: {problem['reason']}")
    return found

"""The counted sheet, as explained in a queue's spreadsheet."""

from __future__ import annotations

from collections import defaultdict
from typing import Final

from annotator.protocols.sheet import CountedCells, SheetFormat
from scoring.anatomy.protocol import ANATOMY, payload_from_cells
from scoring.grid.notation import LARGEST_COUNT, Term


def _formula(cell: str) -> str:
    """Return a check for a text with a slash and a final severity; the import validates the rest."""
    last = f'FIND(LOWER(RIGHT(TRIM({cell}),1)),"abc")'
    return f'AND(ISTEXT({cell}),ISNUMBER(FIND("/",{cell})),ISNUMBER({last}))'


def terms_of(payload: object) -> dict[str, tuple[Term, ...]]:
    """Return the terms of a stored payload by cell key, without a draft's marks that lack a total."""
    terms: dict[str, list[Term]] = defaultdict(list)
    for mark in ANATOMY.clean(payload, complete=False).payload()["marks"]:
        if mark["total"] is not None:
            cell = f"{mark['type']}.{mark['part']}"
            terms[cell].append(Term(mark["affected"], mark["total"], mark["severity"]))
    return {cell: tuple(found) for cell, found in terms.items()}


SHEET: Final = SheetFormat(
    rule="affected/total and a severity: 1/4b. Several terms with commas: 1/4b,2/4c. Empty: no error.",
    guide=(
        ("1/4c", "one of four, severely"),
        ("1/3b,1/3c", "two terms of one cell, separated by a comma"),
        ("a, b, c", "mild, moderate, severe; each at most once in a cell"),
        (f"1 to {LARGEST_COUNT}", "both numbers are whole; the first is not larger than the second"),
        ("an empty cell", "no error of this kind"),
    ),
    formula=_formula,
    counted=CountedCells(payload_from_cells, terms_of),
)

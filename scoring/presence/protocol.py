"""The presence protocol: whether each of the 25 cells has an error.

The first stage of the method of Muhr et al. (2024), without counts and severities.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from scoring.comparison import Compared, compared_sets
from scoring.grid.causes import Marks, proposals
from scoring.grid.taxonomy import CELL_BY_KEY, CELLS
from scoring.payloads import Refusals, read_choice, read_flag, read_list, read_object, read_remarks
from scoring.protocol import Causes, Flaggable, Payload, Protocol, Rating, Variable
from scoring.qualification_rules import F1, PRECISION, RECALL

_KEYS: Final = ("cells", "no_errors", "unsure", "flag", "note", "tags")
_CELLS_MARKED: Final = Variable(
    name="cells_marked",
    title="Cells marked",
    level_of_measurement="ratio",
    value_domain="whole numbers from 0 (no errors) to 25",
    values=tuple(range(len(CELLS) + 1)),
    headline=True,
)
_PRESENCE: Final = Variable(
    name="presence",
    title="Error present",
    level_of_measurement="nominal",
    value_domain="1 where the cell has an error, else 0; by cell",
    components=tuple(cell.key for cell in CELLS),
    values=(0, 1),
)


@dataclass(frozen=True)
class PresenceAnnotation(Flaggable):
    """The checked content of one annotation, built by `clean`.

    `cells` are the keys of the cells with an error, `unsure` those that the annotator is not certain of, both
    in published order.
    """

    cells: tuple[str, ...]
    no_errors: bool
    unsure: tuple[str, ...]

    def payload(self) -> Payload:
        """Return the canonical payload, ready for JSON."""
        return {
            "cells": list(self.cells),
            "no_errors": self.no_errors,
            "unsure": list(self.unsure),
            **self.remarks(),
            "note": self.note,
        }


def clean(payload: object, *, complete: bool = True) -> PresenceAnnotation:
    """Return the checked annotation of a payload. Missing keys have the values of an untouched draft.

    `complete=False` accepts drafts, which may be empty. Raises only InvalidPayload, which names every invalid
    field.
    """
    refusals = Refusals()
    given = read_object(payload, _KEYS, "", refusals) or {}
    cells = _read_cells(given.get("cells", []), "cells", refusals)
    unsure = _read_cells(given.get("unsure", []), "unsure", refusals)
    for key in unsure:
        if key not in cells:
            refusals.add("unsure", f"Refused: {CELL_BY_KEY[key].title} is unsure but not marked.")
    answer = PresenceAnnotation(
        cells=cells,
        no_errors=read_flag(given.get("no_errors", False), "no_errors", refusals),
        unsure=unsure,
        **read_remarks(given, refusals),
    )
    if answer.no_errors and answer.cells:
        marked = "1 cell is marked" if len(cells) == 1 else f"{len(cells)} cells are marked"
        refusals.add("no_errors", f"Refused: {marked}. Clear the marks first, or submit without “No errors”.")
    refusals.raise_if_any()
    if complete and not answer.cells and not answer.no_errors:
        refusals.add("", "Not submitted: the annotation is empty.")
    refusals.raise_if_any()
    return answer


def _read_cells(value: object, field: str, refusals: Refusals) -> tuple[str, ...]:
    """Return the keys of cells in published order; refuse a repeated cell."""
    cells: set[str] = set()
    for entry in read_list(value, len(CELLS), field, refusals):
        key = read_choice(entry, CELL_BY_KEY, "cell", field, refusals)
        if key in cells:
            refusals.add(field, f"Refused: {CELL_BY_KEY[key].title} is listed twice.")
        elif key is not None:
            cells.add(key)
    return _ordered(cells)


def _ordered(keys: Collection[str]) -> tuple[str, ...]:
    return tuple(cell.key for cell in CELLS if cell.key in keys)


def ratings(answer: PresenceAnnotation, _: Mapping[str, Fraction]) -> tuple[Rating, ...]:
    """Return the number of marked cells, then 1 for each of them. The settings are ignored."""
    marked: Rating = (_CELLS_MARKED.name, "", Fraction(len(answer.cells)))
    return (marked, *((_PRESENCE.name, key, Fraction(1)) for key in answer.cells))


def compare(reference: PresenceAnnotation, answer: PresenceAnnotation) -> Compared:
    """Compare the marked cells of two complete annotations."""
    return compared_sets([cell.key for cell in CELLS], reference.cells, answer.cells)


def _cell_marks(answer: PresenceAnnotation) -> dict[str, Marks]:
    """Return the marked cells, all alike."""
    return dict.fromkeys(answer.cells, ((1, 1, ""),))


def from_anatomy(payload: Payload) -> Payload:
    """Convert a complete anatomy payload: mark each cell that has a mark."""
    cells = _ordered({f"{mark['type']}.{mark['part']}" for mark in payload["marks"]})
    kept = {"no_errors": not cells, "unsure": [], "flag": payload["flag"], "note": payload["note"]}
    return {"cells": list(cells), **kept}


PRESENCE: Final = Protocol(
    slug="presence",
    title="Presence of errors in 25 cells",
    version=1,
    variables=(_CELLS_MARKED, _PRESENCE),
    clean=clean,
    ratings=ratings,
    shown_as={"anatomy": from_anatomy},
    compare=compare,
    rule_terms=(replace(F1, default=Fraction(7, 10)), RECALL, PRECISION),
    on_cells=True,
    causes=Causes(
        # Without counts, totals and severities.
        ("missed", "not_an_error", "type", "part", "guideline_gap", "slip"),
        lambda answers: proposals(list(map(_cell_marks, answers))),
        _cell_marks,
    ),
)

"""Annotations of the anatomy protocol, cell by cell in the notation of the sheet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from annotator.protocols.anatomy.form import (
    COUNT_FIELDS,
    COUNT_KINDS,
    PEOPLE,
    MarkData,
    cell_text,
    field_name,
    marks_of,
    new_mark,
    stored_count,
    with_total,
)
from annotator.protocols.settling import SettlingForm
from scoring.grid.notation import NotationError, parse_cell
from scoring.grid.taxonomy import BODY_PART_TITLES, CELL_BY_KEY, CELLS, ERROR_TYPE_TITLES
from scoring.protocol import Payload

TITLES: Final = {cell.key: cell.title for cell in CELLS}
ROWS: Final = [
    (title, [f"{error_type}.{part}" for part in BODY_PART_TITLES])
    for error_type, title in ERROR_TYPE_TITLES.items()
]


class AnatomySettlingForm(SettlingForm):
    """25 cells: what differs is ticked or typed, what all agree on is taken over and can be changed."""

    titles = TITLES
    heads = list(BODY_PART_TITLES.values())
    rows = ROWS
    thing = "cell"
    nothing = "no error"
    free = True

    def text_of(self, payload: Payload, key: str) -> str:
        """Return a cell in the notation of the sheet."""
        return cell_text(payload, CELL_BY_KEY[key])

    def field_name(self, key: str) -> str:
        """Return the field of the protocol's own messages."""
        return field_name(CELL_BY_KEY[key])

    def payload(self) -> Payload:
        """Return what was ticked and typed; what cannot be read is in `errors` and left out."""
        counts = self._agreed_counts()
        marks: list[MarkData] = []
        for key in self.titles:
            marks += self._marks(key)
        for mark in marks:
            # An agreed count of none cannot stand beside a mark that somebody has decided on.
            kind = counts[CELL_BY_KEY[f"{mark['type']}.{mark['part']}"].count_kind]
            if kind.get(mark["part"]) == 0:
                del kind[mark["part"]]
        first = self.payloads[0] if self.payloads else {}
        people = {payload.get(PEOPLE) for payload in self.payloads}
        return {
            PEOPLE: first.get(PEOPLE) if len(people) == 1 else None,
            "counts": counts,
            "counts_set": {kind: self._agreed_sets(kind, counts[kind]) for kind in COUNT_KINDS},
            "marks": [with_total(mark, counts) for mark in marks],
            "no_errors": not marks,
            "flag": None,
            "note": "",
        }

    def _marks(self, key: str) -> list[MarkData]:
        text = self.chosen(key)
        if text is None:
            return []
        cell = CELL_BY_KEY[key]
        for payload in self.payloads:
            # With the pins of whoever says it first.
            if cell_text(payload, cell) == text:
                return [dict(mark) for mark in marks_of(payload, cell)]
        try:
            return [new_mark(cell, term) for term in parse_cell(text)]
        except NotationError as error:
            self.add(key, f"Refused: {error}")
            return []

    def _agreed_counts(self) -> dict[str, dict[str, int]]:
        """Return the counts that everybody has given alike."""
        counts: dict[str, dict[str, int]] = {kind: {} for kind in COUNT_KINDS}
        for kind, part in COUNT_FIELDS.values():
            given = {stored_count(payload, kind, part) for payload in self.payloads}
            (first, *others) = given or {None}
            if first is not None and not others:
                counts[kind][part] = first
        return counts

    def _agreed_sets(self, kind: str, counts: Mapping[str, int]) -> list[str]:
        return [
            part
            for part in counts
            if all(part in payload.get("counts_set", {}).get(kind, []) for payload in self.payloads)
        ]

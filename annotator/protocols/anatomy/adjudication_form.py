"""The adjudication form of the anatomy protocol: cell by cell in the sheet's notation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from annotator.models import Annotation
from annotator.protocols.adjudication_form import AdjudicationForm, pin_at
from annotator.protocols.anatomy.form import (
    COUNT_FIELDS,
    COUNT_KINDS,
    LARGEST_NUMBER,
    PEOPLE,
    MarkData,
    cell_text,
    field_name,
    mark_text,
    marks_of,
    new_mark,
    stored_count,
    with_total,
)
from scoring.grid.notation import NotationError, parse_cell
from scoring.grid.taxonomy import BODY_PART_NOUNS, BODY_PART_TITLES, CELL_BY_KEY, CELLS, ERROR_TYPE_TITLES
from scoring.protocol import Payload

TITLES: Final = {cell.key: cell.title for cell in CELLS}
ROWS: Final = [
    (title, [f"{error_type}.{part}" for error_type in ERROR_TYPE_TITLES])
    for part, title in BODY_PART_TITLES.items()
]


VISIBLE: Final = {
    name: f"Visible {BODY_PART_NOUNS[part][1]}"
    for name, (kind, part) in COUNT_FIELDS.items()
    if kind == "visible"
}


class AnatomyAdjudicationForm(AdjudicationForm):
    """25 cells: choose or enter values where annotations differ; agreed values can be changed.

    Where a batch suggested counts, also the visible counts: only they tell which suggestions are right.
    """

    titles = TITLES
    heads = list(ERROR_TYPE_TITLES.values())
    rows = ROWS
    thing = "cell"
    nothing = "no error"
    free = True

    def __init__(self, answers: Sequence[Annotation], **more: Any) -> None:
        if any(answer.assignment.batch.suggestions_id for answer in answers):
            self.titles = {**TITLES, **VISIBLE}
            self.heads = [*self.heads, "Visible count"]
            both = zip(ROWS, VISIBLE, strict=True)
            self.rows = [(title, [*keys, name]) for (title, keys), name in both]
        super().__init__(answers, **more)

    def text_of(self, payload: Payload, key: str) -> str:
        """Return a cell in the sheet's notation, or a count."""
        if key in VISIBLE:
            count = stored_count(payload, *COUNT_FIELDS[key])
            return "" if count is None else str(count)
        return cell_text(payload, CELL_BY_KEY[key])

    def hints_of(self, key: str) -> tuple[str, str]:
        """Return what an empty value of a cell means, and an example of a value."""
        return ("no number", "4") if key in VISIBLE else super().hints_of(key)

    def pins_of(self, payload: Payload) -> list[dict[str, str]]:
        """Return the points pinned in a payload, with the mark they belong to."""
        return [
            pin_at(cell.key, f"{cell.title}, {mark_text(mark)}", pin["x"], pin["y"])
            for cell in CELLS
            for mark in marks_of(payload, cell)
            for pin in mark.get("pins", ())
        ]

    @classmethod
    def dots_of(cls, payload: Payload) -> list[dict[str, str]]:
        """Return the dots of a payload, part by part."""
        dots = payload.get("dots", {})
        return [
            pin_at(part, nouns[len(dots[part]) != 1], x, y)
            for part, nouns in BODY_PART_NOUNS.items()
            for x, y in dots.get(part, ())
        ]

    def field_name(self, key: str) -> str:
        """Return the field name in the protocol's errors."""
        return key if key in VISIBLE else field_name(CELL_BY_KEY[key])

    def payload(self) -> Payload:
        """Return the payload of the chosen values; invalid ones are in `errors` and omitted."""
        counts = self._agreed_counts()
        marks: list[MarkData] = []
        for key in self.titles:
            if key in VISIBLE:
                self._decide(key, counts)
            else:
                marks += self._marks(key)
        for mark in marks:
            # An agreed count of 0 would contradict an adjudicated mark.
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

    def _decide(self, key: str, counts: dict[str, dict[str, int]]) -> None:
        """Put the chosen visible count of a body part into the counts."""
        kind, part = COUNT_FIELDS[key]
        text = self.chosen(key)
        counts[kind].pop(part, None)
        if text and not (text.isascii() and text.isdigit() and int(text) <= LARGEST_NUMBER):
            self.add(key, f"Refused: “{text[:9]}” is not a whole number from 0 to {LARGEST_NUMBER}.")
        elif text:
            counts[kind][part] = int(text)

    def _marks(self, key: str) -> list[MarkData]:
        text = self.chosen(key)
        if text is None:
            return []
        cell = CELL_BY_KEY[key]
        for payload in self.payloads:
            # Take the pins of the first annotator with this value.
            if cell_text(payload, cell) == text:
                return [dict(mark) for mark in marks_of(payload, cell)]
        try:
            return [new_mark(cell, term) for term in parse_cell(text)]
        except NotationError as error:
            self.add(key, f"Refused: {error}")
            return []

    def _agreed_counts(self) -> dict[str, dict[str, int]]:
        """Return the counts on which all annotators agree."""
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

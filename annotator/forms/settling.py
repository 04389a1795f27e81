"""Several answers of one image, cell by cell, and what a lead types or ticks to settle them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from string import ascii_uppercase
from typing import Any, Final

from annotator.models import Annotation
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
from annotator.unread import says_nothing
from scoring.anatomy.notation import NotationError, parse_cell
from scoring.anatomy.taxonomy import BODY_PART_TITLES, CELLS, ERROR_TYPE_TITLES, Cell
from scoring.protocol import Payload

OTHER: Final = "other"
SAYS: Final = "="
"""What a ticked value begins with that stands for a cell's text, which may be empty."""
LONGEST_TYPED: Final = 60


@dataclass(frozen=True)
class Person:
    """Somebody who judged the image, under the letter that the page has for them."""

    letter: str
    code: str
    answer: Annotation
    score: str


@dataclass(frozen=True)
class Option:
    """One thing that can hold of a cell: `letters` are those of who says so, none for nobody."""

    value: str
    text: str
    letters: Sequence[str]
    codes: Sequence[str]
    ticked: bool


@dataclass(frozen=True)
class CellToSettle:
    """One cell as the page draws it; `stored` is what is settled now, None where nothing is."""

    cell: Cell
    name: str
    differs: bool
    options: Sequence[Option]
    other: str
    other_ticked: bool
    errors: Sequence[str]
    stored: str | None

    @property
    def html_id(self) -> str:
        """An id without dots, which selectors would take for classes."""
        return f"settle-{self.cell.error_type}-{self.cell.body_part}"

    @property
    def other_name(self) -> str:
        """The name of the text field."""
        return f"{self.name}.{OTHER}"


class SettlingForm:
    """What to settle of an image; `data` is what was sent, None on the way to the first look.

    `stored` is the payload that was settled before. Nothing that was typed is lost: a text that fits no
    option any more stands in the cell's field.
    """

    def __init__(
        self,
        answers: Sequence[Annotation],
        *,
        stored: Payload | None = None,
        data: Mapping[str, Any] | None = None,
        errors: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        self._payloads: list[Payload] = [answer.payload for answer in answers]
        self._stored = stored
        self._data = data
        self.errors: dict[str, list[str]] = {name: list(texts) for name, texts in (errors or {}).items()}
        self.people = [
            Person(
                letter,
                answer.assignment.annotator.code,
                answer,
                _score_of(answer),
            )
            for letter, answer in zip(ascii_uppercase, answers, strict=False)
        ]

    @cached_property
    def note(self) -> str:
        """The note as typed."""
        return str(self._data.get("note", "")) if self._data is not None else ""

    def payload(self) -> Payload:
        """Return what was ticked and typed; what cannot be read is in `errors` and left out."""
        counts = self._agreed_counts()
        marks: list[MarkData] = []
        for cell in CELLS:
            marks += self._marks(cell)
        for mark in marks:
            # An agreed count of none cannot stand beside a mark that somebody has decided on.
            kind = counts[_kind_of(mark)]
            if kind.get(mark["part"]) == 0:
                del kind[mark["part"]]
        first = self._payloads[0] if self._payloads else {}
        people = {payload.get(PEOPLE) for payload in self._payloads}
        return {
            PEOPLE: first.get(PEOPLE) if len(people) == 1 else None,
            "counts": counts,
            "counts_set": {kind: self._agreed_sets(kind, counts[kind]) for kind in COUNT_KINDS},
            "marks": [with_total(mark, counts) for mark in marks],
            "no_errors": not marks,
            "flag": None,
            "note": "",
        }

    def refuse(self, errors: Mapping[str, Sequence[str]]) -> None:
        """Take a protocol's refusals; those of no cell stand above all."""
        known = {*map(field_name, CELLS), "note"}
        for name, messages in errors.items():
            self.errors.setdefault(name if name in known else "", []).extend(messages)

    @cached_property
    def _differing(self) -> frozenset[str]:
        texts = {cell.key: {cell_text(payload, cell) for payload in self._payloads} for cell in CELLS}
        return frozenset(key for key, found in texts.items() if len(found) > 1)

    def differing(self) -> list[CellToSettle]:
        """Return the cells that do not say the same everywhere, in the published order."""
        return [self._cell(cell) for cell in CELLS if cell.key in self._differing]

    def agreeing(self) -> list[tuple[str, list[CellToSettle | None]]]:
        """Return the other cells by error type, a place for each body part; None where the cell differs."""
        found = {cell.key: self._cell(cell) for cell in CELLS if cell.key not in self._differing}
        return [
            (title, [found.get(f"{error_type}.{part}") for part in BODY_PART_TITLES])
            for error_type, title in ERROR_TYPE_TITLES.items()
        ]

    def n_agreeing(self) -> int:
        """How many cells say the same everywhere."""
        return len(CELLS) - len(self._differing)

    def unfolded(self) -> bool:
        """Whether the agreeing cells have something to show: a refusal, or not what all agree on."""
        agreeing = [cell for cell in CELLS if cell.key not in self._differing]
        return any(self.errors.get(field_name(cell)) for cell in agreeing) or any(
            self._typed(cell)[1] != self._agreed(cell) for cell in agreeing
        )

    def _agreed(self, cell: Cell) -> str:
        return cell_text(self._payloads[0], cell) if self._payloads else ""

    def _typed(self, cell: Cell) -> tuple[str | None, str]:
        """Return what is ticked of a cell, None for nothing, and what stands in its field."""
        name = field_name(cell)
        if self._data is not None:
            ticked, other = self._data.get(name), str(self._data.get(f"{name}.{OTHER}", ""))
            if cell.key not in self._differing:
                # It may have differed when the page was drawn: then what was ticked is what is meant.
                said = str(ticked or "")
                return OTHER, said.removeprefix(SAYS) if said.startswith(SAYS) and not other else other
            if ticked is None:
                return (OTHER if other.strip() else None), other
            known = {f"{SAYS}{text}" for text in self._texts(cell)}
            if ticked != OTHER and ticked not in known:
                return OTHER, other or str(ticked).removeprefix(SAYS)
            return str(ticked), other
        if cell.key not in self._differing:
            return OTHER, self._agreed(cell) if self._stored is None else cell_text(self._stored, cell)
        if self._stored is None:
            return None, ""
        text = cell_text(self._stored, cell)
        return (f"{SAYS}{text}", "") if text in self._texts(cell) else (OTHER, text)

    def _texts(self, cell: Cell) -> list[str]:
        """Return what can be ticked: what somebody says, in the order of people, and nothing."""
        return list(dict.fromkeys([*(cell_text(payload, cell) for payload in self._payloads), ""]))

    def _cell(self, cell: Cell) -> CellToSettle:
        ticked, other = self._typed(cell)
        options = []
        for text in self._texts(cell):
            who = [one for one in self.people if cell_text(one.answer.payload, cell) == text]
            options.append(
                Option(
                    value=f"{SAYS}{text}",
                    text=text.replace(",", ", "),
                    letters=[one.letter for one in who],
                    codes=[one.code for one in who],
                    ticked=ticked == f"{SAYS}{text}",
                )
            )
        return CellToSettle(
            cell=cell,
            name=field_name(cell),
            differs=cell.key in self._differing,
            options=options,
            other=other,
            other_ticked=ticked == OTHER,
            errors=self.errors.get(field_name(cell), []),
            stored=None if self._stored is None else cell_text(self._stored, cell).replace(",", ", "),
        )

    def _marks(self, cell: Cell) -> list[MarkData]:
        text = self._chosen(cell)
        if text is None:
            return []
        for payload in self._payloads:
            # With the pins of whoever says it first.
            if cell_text(payload, cell) == text:
                return [dict(mark) for mark in marks_of(payload, cell)]
        try:
            return [new_mark(cell, term) for term in parse_cell(text)]
        except NotationError as error:
            self._add(cell, f"Refused: {error}")
            return []

    def _chosen(self, cell: Cell) -> str | None:
        """Return the text that holds of a cell; None, with an error, where that is not clear."""
        ticked, other = self._typed(cell)
        other = other.strip()
        if cell.key not in self._differing:
            return other
        if ticked is None:
            self._add(cell, "Not settled: tick what holds.")
        elif ticked == OTHER and not other:
            self._add(
                cell, "Not settled: type what holds, such as 1/4c, or tick “–” where there is no error."
            )
        elif ticked != OTHER and other and f"{SAYS}{other}" != ticked:
            self._add(
                cell,
                f"“{other[:LONGEST_TYPED]}” is typed, but something else is ticked. "
                "Tick “other”, or empty the field.",
            )
        else:
            return other if ticked == OTHER else ticked.removeprefix(SAYS)
        return None

    def _add(self, cell: Cell, message: str) -> None:
        self.errors.setdefault(field_name(cell), []).append(message)

    def _agreed_counts(self) -> dict[str, dict[str, int]]:
        """Return the counts that everybody has given alike."""
        counts: dict[str, dict[str, int]] = {kind: {} for kind in COUNT_KINDS}
        for kind, part in COUNT_FIELDS.values():
            given = {stored_count(payload, kind, part) for payload in self._payloads}
            (first, *others) = given or {None}
            if first is not None and not others:
                counts[kind][part] = first
        return counts

    def _agreed_sets(self, kind: str, counts: Mapping[str, int]) -> list[str]:
        return [
            part
            for part in counts
            if all(part in payload.get("counts_set", {}).get(kind, []) for payload in self._payloads)
        ]


def _kind_of(mark: MarkData) -> str:
    return next(
        cell.count_kind for cell in CELLS if (cell.error_type, cell.body_part) == (mark["type"], mark["part"])
    )


def _score_of(answer: Annotation) -> str:
    """The exact score as text; empty where there is none."""
    if not answer.ratings or (answer.has_unread_terms and says_nothing(answer.payload)):
        return ""
    return str(answer.ratings[0][2])

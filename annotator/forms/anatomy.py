"""The anatomy protocol as 25 text inputs in the notation of the sheet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from annotator.forms.anatomy_words import (
    BODY_PART_DEFINITIONS,
    ERROR_TYPE_DEFINITIONS,
    OTHER_REASON,
    REFUSED_REASON,
    SHORT_REASONS,
    TOTAL_HINTS,
)
from annotator.forms.base import AnswerForm, Difference
from scoring.anatomy.notation import NotationError, Term, parse_cell
from scoring.anatomy.taxonomy import (
    BODY_PART_NOUNS,
    BODY_PART_TITLES,
    CELL_BY_KEY,
    CELLS,
    ERROR_TYPE_TITLES,
    SEVERITIES,
    SEVERITY_TITLES,
    Cell,
)
from scoring.protocol import Payload

LONGEST_CELL = 60
LONGEST_AT_FULL_SIZE = 11
NO_ERRORS = "no_errors"

MarkData = dict[str, Any]
"""One entry of a payload's `marks`."""


class CellField(forms.CharField):
    """Text in the notation of one cell; cleans to the terms of the cell."""

    def __init__(self, cell: Cell) -> None:
        super().__init__(max_length=LONGEST_CELL, required=False, label=cell.title)

    def clean(self, value: Any) -> tuple[Term, ...]:
        """Return the terms; raises ValidationError with the notation's reason as its code."""
        text = super().clean(value)
        try:
            return parse_cell(text)
        except NotationError as error:
            raise ValidationError(str(error), code=error.code) from error


@dataclass(frozen=True)
class Box:
    """One cell as the page draws it. `severity` is the worst one entered, or empty."""

    cell: Cell
    name: str
    text: str
    errors: tuple[str, ...]
    warnings: tuple[str, ...]
    short: str
    severity: str
    hint: str

    @property
    def html_id(self) -> str:
        """An id without dots, which selectors would take for classes."""
        return f"cell-{self.cell.error_type}-{self.cell.body_part}"

    @property
    def is_long(self) -> bool:
        """Whether the text needs smaller letters to fit."""
        return len(self.text) > LONGEST_AT_FULL_SIZE


@dataclass(frozen=True)
class ResultRow:
    """One body part of a stored answer: the marks of its five cells."""

    title: str
    cells: list[list[MarkData]]


@dataclass(frozen=True)
class Column:
    """The five cells of one error type."""

    error_type: str
    title: str
    count_kind: str
    boxes: tuple[Box, ...]


class AnatomyForm(AnswerForm):
    """25 cells, "no errors" and a note. People, counts and pins of a stored payload are left as they are."""

    template_path = "annotator/labelling/anatomy.html"
    actions_path = "annotator/labelling/anatomy_actions.html"
    result_path = "annotator/labelling/anatomy_result.html"
    stylesheet = "css/anatomy.css"

    no_errors = forms.BooleanField(required=False, label="No errors")

    error_type_definitions = [
        (name, ERROR_TYPE_TITLES[name], text) for name, text in ERROR_TYPE_DEFINITIONS.items()
    ]
    body_part_definitions = [
        (name, BODY_PART_TITLES[name], text) for name, text in BODY_PART_DEFINITIONS.items()
    ]
    body_parts = list(BODY_PART_TITLES.items())
    severities = list(SEVERITY_TITLES.items())

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for cell in CELLS:
            self.fields[field_name(cell)] = CellField(cell)

    def initial_of(self, payload: Payload) -> dict[str, Any]:
        """Return every cell's text, the tick and the note."""
        cells = {field_name(cell): cell_text(payload, cell) for cell in CELLS}
        return {**super().initial_of(payload), **cells, NO_ERRORS: payload.get(NO_ERRORS, False)}

    def payload(self) -> Payload:
        """Return the stored payload with what was typed in its place."""
        marks = [mark for cell in CELLS for mark in self._marks(cell)]
        ticked = self.cleaned_data.get(NO_ERRORS, False)
        return {**self.stored, "marks": marks, NO_ERRORS: ticked, "note": self.note_typed()}

    def _marks(self, cell: Cell) -> list[MarkData]:
        stored = marks_of(self.stored, cell)
        name = field_name(cell)
        # Text that was not touched may stand for more than it shows: pins, or a total still to come.
        if name not in self.cleaned_data or name not in self.changed_data:
            return stored
        same = {(mark["severity"], mark["affected"], mark["total"]): mark for mark in stored}
        count = self.stored.get("counts", {}).get(cell.count_kind, {}).get(cell.body_part)
        return [
            same.get((term.severity, term.affected, term.total)) or new_mark(cell, term, count)
            for term in self.cleaned_data[name]
        ]

    def differences(self, mine: Payload, theirs: Payload) -> list[Difference]:
        """Return the cells, the tick and the note that differ."""
        rows = [Difference(cell.title, cell_text(mine, cell), cell_text(theirs, cell)) for cell in CELLS]
        rows.append(Difference("No errors", *(_yes_no(one.get(NO_ERRORS)) for one in (mine, theirs))))
        rows.append(Difference("Note", *(str(one.get("note", "")) for one in (mine, theirs))))
        return [row for row in rows if row.mine != row.theirs]

    @classmethod
    def result(cls, payload: Payload) -> list[ResultRow]:
        """Return the marks by body part and error type, for reading."""
        return [
            ResultRow(title, [marks_of(payload, CELL_BY_KEY[f"{name}.{part}"]) for name in ERROR_TYPE_TITLES])
            for part, title in BODY_PART_TITLES.items()
        ]

    def short_reasons(self) -> dict[str, str]:
        """Return each refused cell's reason in two or three words."""
        return {name: short_reason(found) for name, found in self.errors.as_data().items()}

    def columns(self) -> list[Column]:
        """Return the cells by error type, in the prescribed order."""
        return [
            Column(
                error_type=name,
                title=title,
                count_kind=CELL_BY_KEY[f"{name}.torso"].count_kind,
                boxes=tuple(self._box(cell) for cell in CELLS if cell.error_type == name),
            )
            for name, title in ERROR_TYPE_TITLES.items()
        ]

    def _box(self, cell: Cell) -> Box:
        bound = self[field_name(cell)]
        text = str(bound.value() or "")
        return Box(
            cell=cell,
            name=bound.html_name,
            text=text,
            errors=tuple(self.messages().get(bound.name, ())) if self.is_bound else (),
            warnings=tuple(self.warnings.get(field_name(cell), ())),
            short=short_reason(self.errors.as_data().get(bound.name, ()) if self.is_bound else ()),
            severity=worst_severity(text),
            hint=TOTAL_HINTS[cell.count_kind].format(parts=BODY_PART_NOUNS[cell.body_part][1]),
        )


def field_name(cell: Cell) -> str:
    """Return the input's name: the field of the protocol's own messages."""
    return f"marks.{cell.key}"


def marks_of(payload: Payload, cell: Cell) -> list[MarkData]:
    """Return a payload's marks of one cell."""
    return [
        mark
        for mark in payload.get("marks", [])
        if mark["type"] == cell.error_type and mark["part"] == cell.body_part
    ]


def cell_text(payload: Payload, cell: Cell) -> str:
    """Return one cell as typed, `1/3b,1/3c`; a mark whose total is still to come shows as `1/?b`."""
    return ",".join(mark_text(mark) for mark in marks_of(payload, cell))


def mark_text(mark: Mapping[str, Any]) -> str:
    """Return one mark in the notation."""
    total = "?" if mark["total"] is None else mark["total"]
    return f"{mark['affected']}/{total}{mark['severity']}"


def new_mark(cell: Cell, term: Term, count: int | None) -> MarkData:
    """Return a mark for a term; its total is its own unless the image's count says the same."""
    return {
        "type": cell.error_type,
        "part": cell.body_part,
        "severity": term.severity,
        "affected": term.affected,
        "total": term.total,
        "own_total": term.total != count,
        "pins": [],
    }


def short_reason(errors: Iterable[ValidationError]) -> str:
    """Return why a cell is refused in two or three words; empty if it is not."""
    for error in errors:
        if error.code == "refused":
            return REFUSED_REASON
        return SHORT_REASONS.get(str(error.code), OTHER_REASON)
    return ""


def worst_severity(text: str) -> str:
    """Return the worst severity letter of a cell's text, read loosely; empty if there is none."""
    found = [severity for severity in SEVERITIES if severity in text.lower()]
    return found[-1] if found else ""


def _yes_no(value: object) -> str:
    return "yes" if value else "no"

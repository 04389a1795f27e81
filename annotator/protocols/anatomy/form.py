"""The anatomy form: 25 text inputs in the sheet's notation, and number inputs for the counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from django import forms
from django.core.exceptions import ValidationError

from annotator.inputs.numbers import IntegerField
from annotator.protocols.anatomy.guide_texts import (
    BODY_PART_DEFINITIONS,
    ERROR_TYPE_DEFINITIONS,
    OTHER_REASON,
    REFUSED_REASON,
    SHORT_REASONS,
    TOTAL_HINTS,
)
from annotator.protocols.base import AnnotationForm, Question, ShownCounts
from scoring.grid.notation import NotationError, Term, parse_cell
from scoring.grid.taxonomy import (
    BODY_PART_NOUNS,
    BODY_PART_TITLES,
    CELL_BY_KEY,
    CELLS,
    ERROR_TYPE_TITLES,
    SEVERITIES,
    SEVERITY_TITLES,
    Cell,
)
from scoring.protocol import Payload, PayloadWarning

LONGEST_CELL = 60
LONGEST_AT_FULL_SIZE = 11
LARGEST_NUMBER = 99
PEOPLE = "people"
COUNT_KINDS = ("expected", "visible")
NO_ERRORS = "no_errors"
EXCESS = "affected_sum_above_total"

MarkData = dict[str, Any]
"""One entry of a payload's `marks`."""


class CellField(forms.CharField):
    """Text in the notation of one cell; cleaned to its terms."""

    def __init__(self, cell: Cell) -> None:
        super().__init__(max_length=LONGEST_CELL, required=False, label=cell.title)

    def clean(self, value: Any) -> tuple[Term, ...]:
        """Return the terms; raises ValidationError with the notation's error code."""
        text = super().clean(value)
        try:
            return parse_cell(text)
        except NotationError as error:
            raise ValidationError(str(error), code=error.code) from error


@dataclass(frozen=True)
class Box:
    """One cell for display. `severity` is the worst one entered, or empty."""

    cell: Cell
    name: str
    text: str
    errors: tuple[str, ...]
    warnings: tuple[str, ...]
    short: str
    severity: str
    hint: str
    asked: bool = False

    @property
    def html_id(self) -> str:
        """The id of the input."""
        return html_id(self.cell)

    @property
    def is_long(self) -> bool:
        """Whether the text needs a smaller font to fit."""
        return len(self.text) > LONGEST_AT_FULL_SIZE


@dataclass(frozen=True)
class CountBox:
    """One number input for display."""

    name: str
    title: str
    value: object
    errors: tuple[str, ...]
    warnings: tuple[str, ...] = ()


class AnatomyForm(AnnotationForm):
    """People, counts, 25 cells, "no errors" and a note. Keeps the pins of a stored payload."""

    template_path = "annotator/labelling/anatomy.html"
    actions_path = "annotator/labelling/anatomy_actions.html"
    result_path = "annotator/labelling/anatomy_result.html"
    stylesheet = "css/labelling/anatomy.css"
    reminder = "Count the people in the image, not those in the prompt."

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
        self.fields[PEOPLE] = IntegerField(min_value=1, max_value=LARGEST_NUMBER, required=False)
        for name in COUNT_FIELDS:
            self.fields[name] = IntegerField(min_value=0, max_value=LARGEST_NUMBER, required=False)
        for cell in CELLS:
            self.fields[field_name(cell)] = CellField(cell)

    def initial_of(self, payload: Payload) -> dict[str, Any]:
        """Return the text of every cell, the checkbox and the note."""
        cells = {field_name(cell): cell_text(payload, cell) for cell in CELLS}
        counts = {name: stored_count(payload, *key) for name, key in COUNT_FIELDS.items()}
        numbers = {PEOPLE: payload.get(PEOPLE), **counts}
        return {**super().initial_of(payload), **cells, **numbers, NO_ERRORS: payload.get(NO_ERRORS, False)}

    def payload(self) -> Payload:
        """Return the stored payload updated with the inputs."""
        counts = self._counts()
        marks = [with_total(mark, counts) for cell in CELLS for mark in self._marks(cell)]
        return {
            **self.stored,
            PEOPLE: self._number(PEOPLE, self.stored.get(PEOPLE)),
            "counts": counts,
            "counts_set": self._counts_set(),
            "marks": marks,
            NO_ERRORS: self.cleaned_data.get(NO_ERRORS, False),
            "note": self.note_typed(),
        }

    def _number(self, name: str, stored: int | None) -> int | None:
        """Return an entered number, or the stored one if the input is missing or invalid."""
        sent = self.add_prefix(name) in self.data and name in self.cleaned_data
        return self.cleaned_data[name] if sent else stored

    def _counts(self) -> dict[str, dict[str, int]]:
        typed = {
            key: self._number(name, stored_count(self.stored, *key)) for name, key in COUNT_FIELDS.items()
        }
        return {
            kind: {part: count for (of, part), count in typed.items() if of == kind and count is not None}
            for kind in COUNT_KINDS
        }

    def _counts_set(self) -> dict[str, list[str]]:
        """Return the counts set by the annotator, before or now."""
        given: dict[str, list[str]] = {kind: [] for kind in COUNT_KINDS}
        for name, (kind, part) in COUNT_FIELDS.items():
            before = stored_count(self.stored, kind, part)
            now = self._number(name, before)
            was_set = part in self.stored.get("counts_set", {}).get(kind, [])
            if now is not None and (was_set or now != before):
                given[kind].append(part)
        return given

    def _marks(self, cell: Cell) -> list[MarkData]:
        stored = marks_of(self.stored, cell)
        name = field_name(cell)
        # Unchanged text may represent more than it shows: pins, or a missing total.
        if name not in self.cleaned_data or name not in self.changed_data:
            return stored
        same = {(mark["severity"], mark["affected"], mark["total"]): mark for mark in stored}
        return [
            same.get((term.severity, term.affected, term.total)) or new_mark(cell, term)
            for term in self.cleaned_data[name]
        ]

    def people_box(self) -> CountBox:
        """Return the input for the number of people."""
        return self._count_box(PEOPLE, "People")

    def _count_box(self, name: str, title: str) -> CountBox:
        bound = self[name]
        errors = tuple(self.messages().get(name, ())) if self.is_bound else ()
        value = "" if bound.value() is None else bound.value()
        return CountBox(name, title, value, errors, tuple(self.warnings.get(name, ())))

    def count_columns(self) -> dict[str, list[CountBox]]:
        """Return the inputs of each kind of count, in the order of the rows."""
        columns: dict[str, list[CountBox]] = {kind: [] for kind in COUNT_KINDS}
        for name, (kind, part) in COUNT_FIELDS.items():
            columns[kind].append(self._count_box(name, f"{BODY_PART_TITLES[part]}, {kind}"))
        return columns

    def questions_about(self, warnings: tuple[PayloadWarning, ...]) -> list[Question]:
        """Return the cells with more affected parts than there are."""
        questions = []
        for warning in warnings:
            if warning.code == EXCESS:
                cell = CELL_BY_KEY[warning.field.removeprefix("marks.")]
                part = BODY_PART_NOUNS[cell.body_part][0]
                sums = warning.message.partition(". ")[0].replace(", but ", ", but only ")
                text = f"{cell.title}: {sums}. Does one {part} have two errors?"
                questions.append(Question(f"{cell.key} {warning.message}", cell.key, text, html_id(cell)))
        return questions

    def without_marks(self) -> Payload:
        """Return the entered payload with "no errors" instead of its marks."""
        return {**self.payload(), "marks": [], NO_ERRORS: True}

    def words(self, payload: Payload) -> list[tuple[str, str]]:
        """Return the counts, the cells and the checkbox."""
        counts = [
            (f"{BODY_PART_TITLES[part]}, {kind}", _shown(stored_count(payload, kind, part)))
            for kind, part in COUNT_FIELDS.values()
        ]
        cells = [(cell.title, cell_text(payload, cell)) for cell in CELLS]
        no_errors = ("No errors", _yes_no(payload.get(NO_ERRORS)))
        return [("People", _shown(payload.get(PEOPLE))), *counts, *cells, no_errors]

    @classmethod
    def result(cls, payload: Payload) -> list[tuple[str, list[list[MarkData]]]]:
        """Return the marks of each body part by error type, by its title, for display."""
        return [
            (title, [marks_of(payload, CELL_BY_KEY[f"{name}.{part}"]) for name in ERROR_TYPE_TITLES])
            for part, title in BODY_PART_TITLES.items()
        ]

    @classmethod
    def counts_of(cls, payload: Payload) -> ShownCounts | None:
        """Return the people and the counts; None if none was entered, as in most imports."""
        rows: list[tuple[str, list[int | None]]] = [
            (kind.capitalize(), [stored_count(payload, kind, part) for part in BODY_PART_TITLES])
            for kind in COUNT_KINDS
        ]
        people = payload.get(PEOPLE)
        entered = people is not None or any(count is not None for _, counts in rows for count in counts)
        return ShownCounts(people, list(BODY_PART_TITLES.values()), rows) if entered else None

    def short_reasons(self) -> dict[str, str]:
        """Return the reason for each invalid cell in two or three words."""
        return {name: short_reason(error) for name, error in self.errors.as_data().items()}

    def columns(self) -> list[tuple[str, str, list[Box]]]:
        """Return name and title of each error type with its cells, in the prescribed order."""
        return [
            (name, title, [self._box(cell) for cell in CELLS if cell.error_type == name])
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
            asked=any(question.field == cell.key for question in self.questions),
        )


def field_name(cell: Cell) -> str:
    """Return the input's name, which is the field name in the protocol's errors."""
    return f"marks.{cell.key}"


def html_id(cell: Cell) -> str:
    """Return the input's id, without dots, which selectors would read as classes."""
    return f"cell-{cell.error_type}-{cell.body_part}"


def marks_of(payload: Payload, cell: Cell) -> list[MarkData]:
    """Return a payload's marks of one cell."""
    return [
        mark
        for mark in payload.get("marks", [])
        if mark["type"] == cell.error_type and mark["part"] == cell.body_part
    ]


def cell_text(payload: Payload, cell: Cell) -> str:
    """Return one cell as text, `1/3b,1/3c`; a mark without a total as `1/?b`."""
    return ",".join(mark_text(mark) for mark in marks_of(payload, cell))


def mark_text(mark: Mapping[str, Any]) -> str:
    """Return one mark in the notation."""
    total = "?" if mark["total"] is None else mark["total"]
    return f"{mark['affected']}/{total}{mark['severity']}"


def new_mark(cell: Cell, term: Term) -> MarkData:
    """Return a mark for a term, with its own total until `with_total` compares it."""
    return {
        "type": cell.error_type,
        "part": cell.body_part,
        "severity": term.severity,
        "affected": term.affected,
        "total": term.total,
        "own_total": True,
        "pins": [],
    }


def with_total(mark: MarkData, counts: Mapping[str, Mapping[str, int]]) -> MarkData:
    """Return a mark with a missing total filled, and `own_total` set if it differs from the image's count."""
    count = counts[CELL_BY_KEY[f"{mark['type']}.{mark['part']}"].count_kind].get(mark["part"])
    total = count if mark["total"] is None else mark["total"]
    return {**mark, "total": total, "own_total": total is not None and total != count}


def stored_count(payload: Payload, kind: str, part: str) -> int | None:
    """Return a count of a payload; None if not entered."""
    count = payload.get("counts", {}).get(kind, {}).get(part)
    return None if count is None else int(count)


def _shown(number: object) -> str:
    return "" if number is None else str(number)


COUNT_FIELDS: Final[Mapping[str, tuple[str, str]]] = {
    f"counts.{kind}.{part}": (kind, part) for kind in COUNT_KINDS for part in BODY_PART_TITLES
}
"""Name of a number input → kind of count and body part."""


def short_reason(errors: Iterable[ValidationError]) -> str:
    """Return why a cell is invalid in two or three words; empty if it is valid."""
    for error in errors:
        if error.code == "refused":
            return REFUSED_REASON
        return SHORT_REASONS.get(str(error.code), OTHER_REASON)
    return ""


def worst_severity(text: str) -> str:
    """Return the worst severity letter in a cell's text, without parsing it; empty if there is none."""
    named = [severity for severity in SEVERITIES if severity in text.lower()]
    return named[-1] if named else ""


def _yes_no(value: object) -> str:
    return "yes" if value else "no"

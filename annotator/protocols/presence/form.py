"""The presence form: 25 checkboxes in the prescribed order, each with another for doubt."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

from django import forms

from annotator.protocols.anatomy.form import AnatomyForm, html_id
from annotator.protocols.base import AnnotationForm
from scoring.grid.taxonomy import BODY_PART_TITLES, CELL_BY_KEY, CELLS, ERROR_TYPE_TITLES, Cell
from scoring.protocol import Payload

CHOICES: Final = [(cell.key, cell.title) for cell in CELLS]


class CellsField(forms.MultipleChoiceField):
    """Keys of cells."""

    def __init__(self) -> None:
        super().__init__(
            choices=CHOICES,
            required=False,
            widget=forms.CheckboxSelectMultiple,
            error_messages={"invalid_choice": "Refused: unknown cell “%(value)s”."},
        )


class PresenceForm(AnnotationForm):
    """25 cells, each with a doubt, "no errors" and a note. Keeps the flag of a stored payload."""

    template_path = "annotator/labelling/presence.html"
    actions_path = "annotator/labelling/presence_actions.html"
    result_path = "annotator/labelling/presence_result.html"
    stylesheet = "css/labelling/presence.css"
    reminder = "Mark each cell with an error you see. Judge the image, not the prompt."

    cells = CellsField()
    unsure = CellsField()
    no_errors = forms.BooleanField(required=False, label="No errors")

    error_type_definitions = AnatomyForm.error_type_definitions
    body_part_definitions = AnatomyForm.body_part_definitions
    body_parts = list(BODY_PART_TITLES.values())

    def initial_of(self, payload: Payload) -> dict[str, Any]:
        """Return the checkboxes and the note."""
        ticks = {name: payload.get(name, []) for name in ("cells", "unsure")}
        return {**super().initial_of(payload), **ticks, "no_errors": payload.get("no_errors", False)}

    def payload(self) -> Payload:
        """Return the stored payload updated with the checkboxes."""
        ticked = {
            name: self.cleaned_data.get(name, self.stored.get(name, [])) for name in ("cells", "unsure")
        }
        no_errors = self.cleaned_data.get("no_errors", False)
        return {**self.stored, **ticked, "no_errors": no_errors, "note": self.note_typed()}

    def without_marks(self) -> Payload:
        """Return the entered payload with "no errors" instead of its marks."""
        return {**self.payload(), "cells": [], "unsure": [], "no_errors": True}

    def words_of(self, payload: Payload) -> list[tuple[str, str]]:
        """Return the cells, checkbox and note."""
        cells = [(cell.title, _value_text(payload, cell)) for cell in CELLS]
        return [*cells, ("No errors", "yes" if payload.get("no_errors") else ""), *super().words_of(payload)]

    @classmethod
    def result(cls, payload: Payload) -> list[tuple[str, list[dict[str, Any]]]]:
        """Return the marks by body part and error type, for display."""
        marked, unsure = payload.get("cells", []), payload.get("unsure", [])
        return [
            (title, [_box(CELL_BY_KEY[f"{name}.{part}"], marked, unsure) for name in ERROR_TYPE_TITLES])
            for part, title in BODY_PART_TITLES.items()
        ]

    def columns(self) -> list[dict[str, Any]]:
        """Return the cells by error type, in the prescribed order."""
        marked, unsure = (set(self[name].value() or ()) for name in ("cells", "unsure"))
        refused = self.messages().get("unsure", []) if self.is_bound else []
        boxes = [
            {**_box(cell, marked, unsure), "errors": [text for text in refused if cell.title in text]}
            for cell in CELLS
        ]
        return [
            {
                "error_type": name,
                "title": title,
                "boxes": [box for box in boxes if box["cell"].error_type == name],
            }
            for name, title in ERROR_TYPE_TITLES.items()
        ]


def _box(cell: Cell, marked: Collection[str], unsure: Collection[str]) -> dict[str, Any]:
    ticks = {"marked": cell.key in marked, "unsure": cell.key in unsure}
    return {"cell": cell, "html_id": html_id(cell), **ticks}


def _value_text(payload: Payload, cell: Cell) -> str:
    if cell.key not in payload.get("cells", []):
        return ""
    return "marked, unsure" if cell.key in payload.get("unsure", []) else "marked"

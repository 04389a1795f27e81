"""The presence form: 25 checkboxes in the prescribed order, each with another for doubt."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Final

from django import forms

from annotator.protocols.anatomy.form import AnatomyForm, html_id
from annotator.protocols.base import AnnotationForm
from scoring.grid.taxonomy import BODY_PART_TITLES, CELL_BY_KEY, CELLS, ERROR_TYPE_TITLES, Cell
from scoring.protocol import Payload

TICKS: Final = ("cells", "unsure")


@dataclass(frozen=True)
class Box:
    """One cell for display, with its own `errors`."""

    cell: Cell
    marked: bool
    unsure: bool
    errors: tuple[str, ...] = ()

    @property
    def html_id(self) -> str:
        """The id of the input."""
        return html_id(self.cell)


class PresenceForm(AnnotationForm):
    """25 cells, each with a doubt, "no errors" and a note. Keeps the flag of a stored payload."""

    template_path = "annotator/labelling/presence.html"
    actions_path = "annotator/labelling/presence_actions.html"
    result_path = "annotator/labelling/presence_result.html"
    stylesheet = "css/labelling/presence.css"
    reminder = "Mark each cell with an error you see. Judge the image, not the prompt."

    # The protocol tells which cells there are.
    cells = forms.Field(required=False, widget=forms.SelectMultiple)
    unsure = forms.Field(required=False, widget=forms.SelectMultiple)
    no_errors = forms.BooleanField(required=False, label="No errors")

    error_type_definitions = AnatomyForm.error_type_definitions
    body_part_definitions = AnatomyForm.body_part_definitions
    body_parts = list(BODY_PART_TITLES.values())

    def initial_of(self, payload: Payload) -> dict[str, Any]:
        """Return the checkboxes and the note."""
        ticks = {name: payload.get(name, []) for name in TICKS}
        return {**super().initial_of(payload), **ticks, "no_errors": payload.get("no_errors", False)}

    def payload(self) -> Payload:
        """Return the stored payload updated with the checkboxes."""
        ticked = {name: self.cleaned_data.get(name) or [] for name in TICKS}
        no_errors = self.cleaned_data.get("no_errors", False)
        return {**self.stored, **ticked, "no_errors": no_errors, "note": self.note_typed()}

    def without_marks(self) -> Payload:
        """Return the entered payload with "no errors" instead of its marks."""
        return {**self.payload(), "cells": [], "unsure": [], "no_errors": True}

    def words(self, payload: Payload) -> list[tuple[str, str]]:
        """Return the cells and the checkbox."""
        said = [(cell.title, _value_text(payload, cell)) for cell in CELLS]
        return [*said, ("No errors", "yes" if payload.get("no_errors") else "")]

    @classmethod
    def result(cls, payload: Payload) -> list[tuple[str, list[Box]]]:
        """Return the cells of each body part by its title, for display."""
        marked, unsure = payload.get("cells", []), payload.get("unsure", [])
        return [
            (title, [_box(CELL_BY_KEY[f"{name}.{part}"], marked, unsure) for name in ERROR_TYPE_TITLES])
            for part, title in BODY_PART_TITLES.items()
        ]

    def columns(self) -> list[tuple[str, str, list[Box]]]:
        """Return name and title of each error type with its cells, in the prescribed order."""
        marked, unsure = (set(self[name].value() or ()) for name in TICKS)
        refused = self.messages().get("unsure", []) if self.is_bound else []
        boxes = [
            _box(cell, marked, unsure, [text for text in refused if cell.title in text]) for cell in CELLS
        ]
        return [
            (name, title, [box for box in boxes if box.cell.error_type == name])
            for name, title in ERROR_TYPE_TITLES.items()
        ]


def _box(cell: Cell, marked: Collection[str], unsure: Collection[str], errors: Collection[str] = ()) -> Box:
    return Box(cell, cell.key in marked, cell.key in unsure, tuple(errors))


def _value_text(payload: Payload, cell: Cell) -> str:
    if cell.key not in payload.get("cells", []):
        return ""
    return "marked, unsure" if cell.key in payload.get("unsure", []) else "marked"

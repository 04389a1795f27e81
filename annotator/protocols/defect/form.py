"""The form of marks: without a script a table of rectangles, with their kinds and descriptions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Final

from django import forms
from django.template.loader import render_to_string

from annotator.inputs.numbers import IntegerField
from annotator.protocols.base import AnnotationForm, Difference
from annotator.protocols.defect.drawing import SMALL, colour_of, overlay_of
from scoring.defect.marks import (
    DETAILS,
    EFFECTS,
    KINDS,
    LONGEST_DESCRIPTION,
    MOST_DEFECTS,
    Defect,
    Marks,
    clean,
)
from scoring.defect.masks import LARGEST_SIDE, Mask, place_of, rectangle
from scoring.protocol import Payload

SIDES: Final = ("x", "y", "width", "height")
PARTS: Final = (*SIDES, "kind", "text", *DETAILS)
EMPTY_ROWS: Final = 3
"""How many defects can be added at once without a script."""
_POSTED: Final = re.compile(r"defects\.(d[1-9][0-9]{0,2})\.x")


def _choice(titles: Mapping[str, str]) -> forms.ChoiceField:
    return forms.ChoiceField(choices=[("", "–"), *titles.items()], required=False)


class MarksForm(AnnotationForm):
    """Rectangles, kinds, descriptions, the effect and a note. Keeps masks whose rectangle is unchanged."""

    template_path = "annotator/defect/marks.html"
    actions_path = "annotator/labelling/rating_form_actions.html"
    result_path = "annotator/defect/result.html"
    stylesheet = "css/labelling/defect.css"
    reminder = "Mark each defect, and say what is wrong."
    hint = "Give each defect a rectangle: x, y, width and height in pixels."
    """What the page's script replaces, with which people draw."""

    effect = forms.ChoiceField(
        choices=[(str(place), word.capitalize()) for place, word in enumerate(EFFECTS)], required=False
    )
    no_defect = forms.BooleanField(required=False)

    def __init__(self, data: Mapping[str, Any] | None = None, *, stored: Payload, **kwargs: Any) -> None:
        super().__init__(data, stored=stored, **kwargs)
        for name in self.ids:
            parts = {
                **{side: IntegerField(min_value=0, max_value=LARGEST_SIDE, required=False) for side in SIDES},
                "kind": _choice(KINDS),
                **({detail: _choice(DETAILS[detail]) for detail in DETAILS} if self.marks.details else {}),
                "text": forms.CharField(max_length=LONGEST_DESCRIPTION, required=False),
            }
            self.fields |= {f"defects.{name}.{part}": field for part, field in parts.items()}

    @cached_property
    def marks(self) -> Marks:
        """What is stored."""
        return clean(self.stored, complete=False)

    @property
    def drawn(self) -> dict[str, Any]:
        """The masks to draw on an image that no script draws on, because the annotation is locked."""
        return overlay_of(_by_number(self.marks))

    @cached_property
    def ids(self) -> list[str]:
        """The defects that are stored or sent, and those of the empty rows."""
        known = {defect.id for defect in self.marks.defects}
        known |= {match[1] for match in map(_POSTED.fullmatch, self.data or ()) if match}
        last = max((int(name[1:]) for name in known), default=0)
        free = [f"d{number}" for number in range(last + 1, last + 1 + EMPTY_ROWS)] if not self.data else []
        return sorted([*known, *free], key=lambda name: int(name[1:]))[:MOST_DEFECTS]

    def initial_of(self, payload: Payload) -> dict[str, Any]:
        """Return the rectangles around the stored masks, and the other inputs."""
        marks = clean(payload, complete=False)
        found: dict[str, Any] = {
            **super().initial_of(payload),
            "effect": "" if marks.effect is None else str(marks.effect),
            "no_defect": marks.no_defect,
        }
        for defect in marks.defects:
            box = defect.mask.box if defect.mask else (None,) * len(SIDES)
            values = (*box, defect.kind, defect.text, defect.part, defect.severity)
            found |= {f"defects.{defect.id}.{part}": value for part, value in zip(PARTS, values, strict=True)}
        return found

    def payload(self) -> Payload:
        """Return the stored payload updated with the inputs; a row without any has no defect."""
        stored = {defect.id: defect for defect in self.marks.defects}
        defects = [self._defect(name, stored.get(name)) for name in self.ids]
        effect = self.cleaned_data.get("effect", "")
        return {
            **self.stored,
            "defects": [defect.as_json() for defect in defects if defect],
            "effect": int(effect) if effect else None,
            "no_defect": self.cleaned_data.get("no_defect", False),
            "note": self.note_typed(),
        }

    def _defect(self, name: str, stored: Defect | None) -> Defect | None:
        said = {part: self.cleaned_data.get(f"defects.{name}.{part}") for part in PARTS}
        if all(value in (None, "") for value in said.values()):
            return stored if any(f"defects.{name}.{part}" in self.errors for part in PARTS) else None
        text = str(said["text"] or "").replace("\r\n", "\n")
        details = (said[detail] or None for detail in DETAILS)
        return Defect(name, self._mask(said, stored), said["kind"] or None, text, *details)

    def _mask(self, said: Mapping[str, Any], stored: Defect | None) -> Mask | None:
        box = tuple(said[side] for side in SIDES)
        before = stored.mask if stored else None
        size = before.size if before else self.marks.size
        if before and box == before.box:
            return before
        if size is None or None in box:
            return None
        made = rectangle(*size, (box[0], box[1], box[2], box[3]))
        return made if made.area else None

    def refuse(self, errors: Mapping[str, list[str]]) -> None:
        """Add a protocol's errors; those about a mask belong to the first side of its rectangle."""
        super().refuse({re.sub(r"\.mask$", ".x", name): messages for name, messages in errors.items()})

    def rows(self) -> list[dict[str, Any]]:
        """Return the inputs of each defect by the part that they are about, with what is said of them."""
        said = [self.messages() if self.is_bound else {}, self.warnings]
        drawn = {defect.id for defect, _ in self.marks.masked}
        found = []
        for name in self.ids:
            paths = {part: f"defects.{name}.{part}" for part in (*PARTS, "mask")}
            inputs = {part: self[path] for part, path in paths.items() if path in self.fields}
            errors = [text for path in paths.values() for told in said for text in told.get(path, ())]
            number, is_drawn = int(name[1:]), name in drawn
            found.append({"number": number, "inputs": inputs, "errors": errors, "drawn": is_drawn})
        return found

    def without_marks(self) -> Payload:
        """Return the entered payload with "no defect" instead of its defects."""
        return {**self.payload(), "defects": [], "effect": None, "no_defect": True}

    def differences(self, mine: Payload, theirs: Payload) -> list[Difference]:
        """Return the defects, effect and note that differ, in words; before them the masks as drawings."""
        said = [clean(payload, complete=False) for payload in (mine, theirs)]
        two = [_words(marks) for marks in said]
        names = dict.fromkeys([*two[0], *two[1]])
        rows = [Difference(name, *(words.get(name, "") for words in two)) for name in names]
        found = [row for row in rows if row.mine != row.theirs]
        maps = [render_to_string("annotator/defect/map.html", {"overlay": _small(marks)}) for marks in said]
        return [Difference("Masks", *maps), *found] if found else []

    @classmethod
    def result(cls, payload: Payload) -> dict[str, Any]:
        """Return the masks, and rows of key, colour, text and no answers, with what stands below them."""
        marks = clean(payload, complete=False)
        words, numbers = _words(marks), [defect.number for defect in marks.defects]
        return {
            "overlay": _small(marks),
            "rows": [(number, colour_of(str(number)), words[f"Defect {number}"], ()) for number in numbers],
            "nothing": "No defect" if marks.no_defect else "Nothing marked",
            "closing": "" if marks.effect is None else f"The effect on the image is {EFFECTS[marks.effect]}.",
        }


def _small(marks: Marks) -> dict[str, Any]:
    return overlay_of(_by_number(marks), SMALL)


def _by_number(marks: Marks) -> dict[str, Mask]:
    return {str(defect.number): mask for defect, mask in marks.masked}


def _words(marks: Marks) -> dict[str, str]:
    """Return the parts of an annotation as titles and texts."""
    found = {}
    for defect in marks.defects:
        mask = defect.mask
        where = [place_of(mask), f"{mask.area:,} px from {mask.box[0]}, {mask.box[1]}"] if mask else []
        parts = [defect.kind, *defect.details, *where, defect.text]
        found[f"Defect {defect.number}"] = "; ".join(filter(None, parts))
    effect = "" if marks.effect is None else EFFECTS[marks.effect]
    plain = {"Effect on the image": effect, "No defect": "yes" if marks.no_defect else "", "Note": marks.note}
    return found | plain

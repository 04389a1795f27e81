"""The forms of a check, and of a rating of descriptions: the same questions about each given thing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

from django import forms

from annotator.models import Suggestion, SuggestionRun
from annotator.protocols.defect.drawing import SMALL, colour_of, overlay_of
from annotator.protocols.defect.material import DESCRIBED, suggestions_of
from annotator.protocols.rating_form.form import ItemsForm, inputs_of
from annotator.protocols.rating_form.page import ItemsAdjudication
from scoring.defect.consolidation import CHECK_FORM, MASK, REFERENCE, checked, differing_regions, masks_of
from scoring.defect.marks import KINDS
from scoring.defect.masks import Mask, place_of
from scoring.defect.quality import QUALITY_FORM
from scoring.defect.repeated import MADE_FROM, Repeated, name_of
from scoring.protocol import Payload
from scoring.rating_form.definition import Item


class GivenThingsForm(ItemsForm):
    """The questions of `rules` about everything that the stored payload is given."""

    template_path = "annotator/defect/given_things.html"
    result_path = "annotator/defect/result.html"
    stylesheet = "css/labelling/defect.css"
    rules: ClassVar[Repeated]

    flagged = forms.BooleanField(required=False)

    def __init__(self, data: Mapping[str, Any] | None = None, *, stored: Payload, **kwargs: Any) -> None:
        self.definition = self.rules.expanded(stored)
        self.made_from = stored.get(MADE_FROM, "")
        changed = self.rules.clean(stored, complete=False).warnings
        if data is not None and data.get(MADE_FROM, self.made_from) != self.made_from:
            # The page showed other things: what has not changed is in the draft.
            said = {f"answers.{name}": answer for name, answer in stored.get("answers", {}).items()}
            other = {name: value for name, value in data.items() if not name.startswith("answers.")}
            data = {**other, **said}
        super().__init__(data, stored=stored, **kwargs)
        self.fields.update(inputs_of(self.definition))
        self.warn(changed)

    def initial_of(self, payload: Payload) -> dict[str, Any]:
        """Return the stored answers, the note, and whether the image is flagged."""
        return {**super().initial_of(payload), "flagged": payload.get("flag") is not None}

    def payload(self) -> Payload:
        """Return the stored payload updated with the input; a new flag asks for a discussion."""
        flag = self.stored.get("flag") or {"reason": "ambiguous", "note": ""}
        return {**super().payload(), "flag": flag if self.cleaned_data.get("flagged") else None}

    @cached_property
    def masks(self) -> dict[str, Mask]:
        """The given masks; none but in a check."""
        return masks_of(self.stored)

    def things(self) -> Iterator[dict[str, Any]]:
        """Yield the given things with their questions, warnings, kind and place, and the letter's colour."""
        asked = {shown["item"].name: shown for shown in self.asked()}
        for thing in self.rules.listed(self.stored):
            key = thing["key"]
            yield {
                **thing,
                "colour": colour_of(key),
                "about": _about(thing, self.masks.get(key)),
                "asked": [asked[name_of(key, item.name)] for item in self.rules.form.items],
                "warnings": self.warnings.get(key, []),
            }

    @property
    def overlay(self) -> dict[str, Any]:
        """The masks on the image, if there are any."""
        return overlay_of(self.masks)

    @property
    def beside(self) -> list[str]:
        """The texts with which all given ones are compared."""
        return [self.stored.get(key, "") for key in self.rules.beside]

    @property
    def apart(self) -> list[str]:
        """The letters of two annotators who mark different regions; empty if none do."""
        return differing_regions(self.masks)

    @classmethod
    def result(cls, payload: Payload) -> dict[str, Any]:
        """Return the masks and the given texts with their answers in words, and an expert's reference."""
        answers, items = payload.get("answers", {}), cls.rules.form.items
        words = {
            item.name: item.text_of(answers.get(item.name)) for item in cls.rules.expanded(payload).items
        }
        rows = [
            (key, colour_of(key), text, [(item.title, words[name_of(key, item.name)]) for item in items])
            for key, text in ((thing["key"], thing.get("text", "")) for thing in cls.rules.listed(payload))
        ]
        written = f"Reference: {payload[REFERENCE]}" if payload.get(REFERENCE) else ""
        overlay = overlay_of(masks_of(payload), SMALL)
        return {"overlay": overlay, "rows": rows, "nothing": "Nothing to judge", "closing": written}


def _about(thing: Mapping[str, Any], mask: Mask | None) -> str:
    return " · ".join(filter(None, (KINDS.get(thing.get("kind", ""), ""), place_of(mask) if mask else "")))


class CheckForm(GivenThingsForm):
    """Keep or drop each mask and each description."""

    rules = CHECK_FORM
    reminder = "Keep or drop each mask and each description."
    hint = "V hides the masks; 1 and 2 show those of A and B only."


class QualityForm(GivenThingsForm):
    """Completeness and precision of each description."""

    rules = QUALITY_FORM
    reminder = "Rate each description against the reference."
    hint = "Judge against the reference only."


class CheckAdjudication(ItemsAdjudication):
    """A row for each mask and each description, and the reference description, which may be written."""

    heads = ("Vote",)
    thing = "vote"
    long_text = "Reference description"

    def __init__(self, answers: Any, **kwargs: Any) -> None:
        self.given: Payload = answers[0].payload if answers else {}
        self.definition = CHECK_FORM.expanded(self.given)
        self.masks = masks_of(self.given)
        self.overlay = overlay_of(self.masks)
        self.titles = {
            name_of(thing["key"], item.name): f"{thing['key']} {item.title.lower()}: "
            + (_about(thing, self.masks[thing["key"]]) if item.name == MASK else str(thing["text"]))
            for thing in CHECK_FORM.listed(self.given)
            for item in CHECK_FORM.form.items
        }
        self.rows = [(title, (name,)) for name, title in self.titles.items()]
        super().__init__(answers, **kwargs)
        if answers:
            outside = suggestions_of(SuggestionRun.Kind.REFERENCE, image=answers[0].assignment.image_id)
            self.long_help = self._unwritten(outside.select_related("run").last())

    def _unwritten(self, suggested: Suggestion | None) -> str:
        """Return what counts if no reference is written; empty if nothing does."""
        said = suggested.payload if suggested else {}
        outside = (said[MADE_FROM], said[DESCRIBED]) if said else None
        unwritten = checked(self.payloads, {**(self._stored or {}), REFERENCE: ""}, outside)
        if unwritten is None:
            return ""
        what = "join what is kept"
        if suggested and unwritten.source == "outside":
            what = f"take what {suggested.run} suggests"
        return f"Leave it empty to {what}: {unwritten.reference}"

    def _answer(self, item: Item, given: Sequence[Payload]) -> str | None:
        """Return a vote by its word, because an expert may overrule those who agree."""
        said = (self.chosen(item.name) or "").casefold()
        return said if said in item.choices else None

    def payload(self) -> Payload:
        """Return the payload of the chosen votes, of the given things and of the reference, if any."""
        given: Payload = {
            key: self.given[key] for key in ("made_from", "items", "effects") if key in self.given
        }
        written = self.written.strip()
        return {**given, **super().payload(), **({REFERENCE: written} if written else {})}

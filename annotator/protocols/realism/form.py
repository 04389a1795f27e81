"""The realism form: one radio button for each rating and for each reason why an image is invalid."""

from __future__ import annotations

from typing import Any, Final

from django import forms

from annotator.protocols.base import AnnotationForm
from annotator.protocols.realism.scale import REASONS, TIERS, in_words
from scoring.protocol import Payload

CHOICES: Final = [
    *((str(rating), str(rating)) for tier in TIERS for rating in tier.ratings),
    *((reason, title) for reason, (title, _) in REASONS.items()),
]

SCRIPT_CONFIG: Final = {
    "is_rating": True,
    "reminders": [
        "Judge the body only: not the face, the background or the style.",
        "Judge at first glance, and do not search.",
        "An image of several people or of no person is invalid.",
    ],
}
"""What the page's script cannot read from the plain form."""


class RealismForm(AnnotationForm):
    """A rating or a reason as one choice, and a note. Keeps the flag of a stored payload."""

    template_path = "annotator/labelling/realism.html"
    actions_path = "annotator/labelling/rating_form_actions.html"
    result_path = "annotator/labelling/realism_result.html"
    stylesheet = "css/labelling/rating-form.css"
    reminder = "Judge the body only: not the face, the background or the style."
    hint = "Judge the body only."

    rating = forms.ChoiceField(
        choices=CHOICES,
        required=False,
        widget=forms.RadioSelect,
        error_messages={
            "invalid_choice": ("Refused: “%(value)s” is neither a rating from 1 to 10 nor a reason.")
        },
    )

    tiers = TIERS
    reasons: Final = [(reason, title, text) for reason, (title, text) in REASONS.items()]

    def initial_of(self, payload: Payload) -> dict[str, Any]:
        """Return the choice and the note."""
        rating = payload.get("rating")
        chosen = payload.get("invalid") if rating is None else str(rating)
        return {**super().initial_of(payload), "rating": chosen or ""}

    def payload(self) -> Payload:
        """Return the stored payload updated with the choice; none keeps what is stored."""
        chosen = self.cleaned_data.get("rating", "")
        said = {name: self.stored.get(name) for name in ("rating", "invalid")}
        if chosen:
            reason = chosen if chosen in REASONS else None
            said = {"rating": None if reason else int(chosen), "invalid": reason}
        return {**self.stored, **said, "note": self.note_typed()}

    def refuse(self, errors: Any) -> None:
        """Add a protocol's errors; those about the reason belong to the one choice."""
        moved = {"rating" if name == "invalid" else name: messages for name, messages in errors.items()}
        super().refuse(moved)

    def words_of(self, payload: Payload) -> list[tuple[str, str]]:
        """Return the rating and the note."""
        return [("Rating", self.result(payload)), *super().words_of(payload)]

    @classmethod
    def result(cls, payload: Payload) -> str:
        """Return what the annotation says, in words."""
        return in_words(payload.get("rating"), payload.get("invalid"))

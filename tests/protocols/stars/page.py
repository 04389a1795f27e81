"""The page of the stars: one number and a tick."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from django import forms

from annotator.protocols.base import AnnotationForm, Difference
from annotator.protocols.page import BatchSetting, ProtocolPage
from scoring.protocol import Payload

TEMPLATES: Final = Path(__file__).parent / "templates"


class StarsForm(AnnotationForm):
    """A number of stars and whether the annotator is sure, without a note."""

    template_path = "stars/form.html"
    actions_path = "stars/actions.html"
    result_path = "stars/result.html"
    stylesheet = "css/analysis/report.css"
    reminder = "Give one to five stars."

    note = None  # type: ignore[assignment]
    stars = forms.IntegerField(min_value=1, max_value=5, required=False)
    sure = forms.BooleanField(required=False)

    def initial_of(self, payload: Payload) -> dict[str, Any]:
        """Return the number and the tick."""
        return {"stars": payload.get("stars"), "sure": payload.get("sure", False)}

    def payload(self) -> Payload:
        """Return the input; an unreadable number leaves the stored one."""
        stars = self.cleaned_data.get("stars", self.stored.get("stars"))
        return {"stars": stars, "sure": self.cleaned_data.get("sure", False)}

    def differences(self, mine: Payload, theirs: Payload) -> list[Difference]:
        """Return the number and the tick if they differ."""
        rows = [
            Difference(name.title(), *(str(one.get(name) or "") for one in (mine, theirs)))
            for name in ("stars", "sure")
        ]
        return [row for row in rows if row.mine != row.theirs]

    @classmethod
    def result(cls, payload: Payload) -> Any:
        """Return the payload unchanged."""
        return payload


PAGE: Final = ProtocolPage(
    slug="stars", form=StarsForm, headline="Stars", settings=(BatchSetting("lamp", "Lamp", "Show a lamp"),)
)

"""What pages of reports ask for."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Final

from django import forms

from scoring.grid.taxonomy import SEVERITIES, SEVERITY_TITLES

MOST: Final = 1000


def _field(severity: str) -> forms.FloatField:
    title = SEVERITY_TITLES[severity]
    return forms.FloatField(
        label=f"{title.capitalize()} ({severity})",
        min_value=0,
        max_value=MOST,
        error_messages={
            "required": f"Give a weight for {title} errors.",
            "invalid": "This is no number.",
            "min_value": "A weight cannot be below 0.",
            "max_value": f"A weight can be {MOST} at most.",
        },
        widget=forms.NumberInput(attrs={"step": "any", "inputmode": "decimal"}),
    )


class WeightsForm(forms.Form):
    """Weights of the three severities, none heavier than a worse one."""

    a = _field("a")
    b = _field("b")
    c = _field("c")

    def clean(self) -> dict[str, Any]:
        """Refuse an order that contradicts the severities, and three zeros."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        for lighter, heavier in pairwise(SEVERITIES):
            if {lighter, heavier} <= set(cleaned) and cleaned[lighter] > cleaned[heavier]:
                names = SEVERITY_TITLES[lighter], SEVERITY_TITLES[heavier]
                self.add_error(
                    heavier, f"At least the weight of {names[0]} errors: {names[1]} ones are worse."
                )
        if cleaned.get("c") == 0:
            self.add_error("c", "With all weights 0 every score is 0.")
        return cleaned

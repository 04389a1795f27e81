"""Forms on the report pages."""

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
            "required": f"Enter a weight for {title} errors.",
            "invalid": "Enter a number.",
            "min_value": "The weight must be at least 0.",
            "max_value": f"The weight must be at most {MOST}.",
        },
        widget=forms.NumberInput(attrs={"step": "any", "inputmode": "decimal"}),
    )


class WeightsForm(forms.Form):
    """Weights of the three severities, which must not decrease with severity."""

    a = _field("a")
    b = _field("b")
    c = _field("c")

    def clean(self) -> dict[str, Any]:
        """Refuse decreasing weights and three zeros."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        for lighter, heavier in pairwise(SEVERITIES):
            if {lighter, heavier} <= set(cleaned) and cleaned[lighter] > cleaned[heavier]:
                names = SEVERITY_TITLES[lighter], SEVERITY_TITLES[heavier]
                least = f"Enter at least the weight of {names[0]} errors, because {names[1]} ones are worse."
                self.add_error(heavier, least)
        if cleaned.get("c") == 0:
            self.add_error("c", "Enter a weight above 0. With all weights 0, every score is 0.")
        return cleaned

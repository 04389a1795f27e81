"""The form of a recruitment link."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta

from django import forms
from django.utils import timezone

from annotator.inputs.numbers import IntegerField
from annotator.people.recruiting import LONGEST_COMPLETION, MOST_PLACES, STEM

DAYS_OPEN = 14
MOST_DAYS_OPEN = 365


class RecruitmentForm(forms.Form):
    """A recruitment link. The service checks the codes and names the field in its refusal."""

    places = IntegerField(min_value=1, max_value=MOST_PLACES, initial=10)
    stem = forms.CharField(max_length=20, initial=STEM)
    closes = forms.DateField(widget=forms.DateInput({"type": "date"}))
    completion_code = forms.CharField(max_length=LONGEST_COMPLETION, required=False)
    # Generated with the page, so that a repeated submission creates only one link.
    offer = forms.CharField(widget=forms.HiddenInput)

    def clean_closes(self) -> datetime:
        """Return the end of the day, in UTC."""
        day: date = self.cleaned_data["closes"]
        if not today() <= day <= today() + timedelta(days=MOST_DAYS_OPEN):
            told = f"Found {day:%Y-%m-%d}. Choose a day from today to {MOST_DAYS_OPEN} days from now."
            raise forms.ValidationError(told, "day")
        return datetime.combine(day, time.max, UTC).replace(microsecond=0)


def today() -> date:
    """Return the current day in UTC."""
    return timezone.now().astimezone(UTC).date()

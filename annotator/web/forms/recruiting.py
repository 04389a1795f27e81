"""The form of a recruitment link."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from functools import partial
from typing import Any, Final

from django import forms
from django.utils import timezone

from annotator.inputs.numbers import IntegerField
from annotator.inputs.plain_text import check_direction
from annotator.models import Project
from annotator.people.panels import MOST_QUESTIONS
from annotator.people.recruiting import LONGEST_COMPLETION, MOST_PLACES, STEM
from scoring.rating_form.definition import definition_of

DAYS_OPEN = 14
MOST_DAYS_OPEN = 365
LONGEST_CONSENT: Final = 5000


completion_field: Final = partial(
    forms.CharField, max_length=LONGEST_COMPLETION, required=False, validators=[check_direction]
)
"""An optional code or address that leads back to the panel."""


class RecruitmentForm(forms.Form):
    """A recruitment link. The service checks the codes that the stem makes."""

    places = IntegerField(min_value=1, max_value=MOST_PLACES, initial=10)
    stem = forms.RegexField(
        r"\D\Z",
        max_length=20,
        strip=True,
        initial=STEM,
        error_messages={"invalid": "The last character is a digit; the numbers are added."},
    )
    closes = forms.DateField(widget=forms.DateInput({"type": "date"}))
    consent = forms.CharField(max_length=LONGEST_CONSENT, required=False, widget=forms.Textarea({"rows": 6}))
    questions = forms.ChoiceField(required=False)
    screens_out = forms.ChoiceField(required=False)
    completion_code = completion_field()
    screened_out_code = completion_field()
    stopped_code = completion_field()
    # Generated with the page, so that a repeated submission creates only one link.
    request_key = forms.UUIDField(widget=forms.HiddenInput)

    def __init__(self, project: Project, *args: Any, **kwargs: Any) -> None:
        """Offer the project's forms that are short enough, and their answers for screening out."""
        super().__init__(*args, **kwargs)
        rows = project.rating_forms.filter(retired=False)
        found = {row.slug: definition_of(row.definition) for row in rows}
        short = {slug: form for slug, form in found.items() if len(form.items) <= MOST_QUESTIONS}
        self.definitions = short
        titles = [(slug, form.title) for slug, form in short.items()]
        self.fields["questions"].choices = [("", "None"), *titles]  # type: ignore[attr-defined]
        answers = [
            (f"{slug} {item.name}={key}", f"{form.title}: {item.title} {item.text_of(answer)}")
            for slug, form in short.items()
            for item in form.items
            for key, (answer, _) in item.choices.items()
        ]
        self.fields["screens_out"].choices = [("", "Nobody"), *answers]  # type: ignore[attr-defined]

    def clean_questions(self) -> dict[str, Any]:
        """Return the definition of the chosen form; a link keeps its own copy."""
        chosen = self.definitions.get(self.cleaned_data["questions"])
        return chosen.as_json() if chosen else {}

    def clean_screens_out(self) -> str:
        """Return the question and the answer; they must belong to the chosen form."""
        slug, _, rule = str(self.cleaned_data["screens_out"]).partition(" ")
        if rule and slug != self.data.get("questions"):
            raise forms.ValidationError("Choose an answer to a question of the chosen form.", "other-form")
        return rule

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

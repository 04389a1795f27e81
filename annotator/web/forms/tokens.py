"""The form for a new API token."""

from __future__ import annotations

from django import forms

from annotator.inputs.plain_text import check_direction
from annotator.models import ApiToken
from annotator.people.tokens import DAYS, LONGEST_NAME, MOST_DAYS


class TokenForm(forms.Form):
    """A new token: name, permissions and validity."""

    name = forms.CharField(
        max_length=LONGEST_NAME,
        validators=[check_direction],
        error_messages={"required": "Enter a name."},
    )
    scope = forms.ChoiceField(
        choices=[
            (ApiToken.Scope.READ.value, "Read"),
            (ApiToken.Scope.READ_WRITE.value, "Read and write"),
        ],
        initial=ApiToken.Scope.READ.value,
        widget=forms.RadioSelect,
        error_messages={"required": "Choose the permissions."},
    )
    days = forms.IntegerField(
        min_value=1,
        max_value=MOST_DAYS,
        initial=DAYS,
        error_messages={
            "required": "Enter a number of days.",
            "min_value": "At least one day.",
            "max_value": f"At most {MOST_DAYS} days.",
        },
    )
    # Generated with the page, so that a repeated submission creates only one token.
    offer = forms.CharField(widget=forms.HiddenInput)

"""What a person says about a new API token."""

from __future__ import annotations

from django import forms

from annotator.inputs.plain_text import check_direction
from annotator.models import ApiToken
from annotator.people.tokens import DAYS, LONGEST_NAME, MOST_DAYS


class TokenForm(forms.Form):
    """A new token: what it is for, what it may do, how long it works."""

    name = forms.CharField(
        max_length=LONGEST_NAME,
        validators=[check_direction],
        error_messages={"required": "Give it a name: what is it for?"},
    )
    scope = forms.ChoiceField(
        choices=[
            (ApiToken.Scope.READ.value, "Read"),
            (ApiToken.Scope.READ_WRITE.value, "Read and write"),
        ],
        initial=ApiToken.Scope.READ.value,
        widget=forms.RadioSelect,
        error_messages={"required": "Choose what it may do."},
    )
    days = forms.IntegerField(
        min_value=1,
        max_value=MOST_DAYS,
        initial=DAYS,
        error_messages={
            "required": "Say for how many days it works.",
            "min_value": "At least one day.",
            "max_value": f"At most {MOST_DAYS} days.",
        },
    )
    # Made with the page: a second click on the button makes the same token, not another one.
    offer = forms.CharField(widget=forms.HiddenInput)

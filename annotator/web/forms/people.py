"""Forms for leads to invite people and for invited people to join."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django import forms
from django.contrib.auth.forms import UserCreationForm
from django.contrib.auth.validators import UnicodeUsernameValidator

from annotator.inputs.numbers import IntegerField
from annotator.models import Membership, User
from annotator.people.invitations import DAYS, LONGEST_NOTE, MOST_DAYS

if TYPE_CHECKING:
    AccountForm = UserCreationForm[User]
else:
    AccountForm = UserCreationForm


class InvitationForm(forms.Form):
    """An invitation. The service checks the code and names the field in its refusal."""

    role = forms.ChoiceField(choices=Membership.Role.choices, initial=Membership.Role.ANNOTATOR)
    code = forms.CharField(strip=True)
    note = forms.CharField(max_length=LONGEST_NOTE, required=False)
    days = IntegerField(min_value=1, max_value=MOST_DAYS, initial=DAYS)
    # Generated with the page, so that a repeated submission creates only one invitation.
    offer = forms.CharField(widget=forms.HiddenInput)


class RoleForm(forms.Form):
    """A member's new role."""

    role = forms.ChoiceField(choices=Membership.Role.choices)


class NewAccountForm(AccountForm):
    """User name and password, checked by Django's rules; the service stores them.

    With `keep_address` the account keeps the address that the invitation was mailed to.
    """

    keep_address = forms.BooleanField(required=False)

    class Meta:
        model = User
        fields = ("username",)


class LinkedAccountForm(forms.Form):
    """A user name for an account that signs in through the OpenID provider."""

    username = forms.CharField(
        max_length=150,
        validators=[UnicodeUsernameValidator()],
        widget=forms.TextInput({"autocomplete": "username", "autocapitalize": "none", "spellcheck": "false"}),
    )

"""What a lead says about people, and what an invited person says of themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django import forms
from django.contrib.auth.forms import UserCreationForm
from django.contrib.auth.validators import UnicodeUsernameValidator

from annotator.models import Membership, User
from annotator.people.invitations import DAYS, LONGEST_NOTE, MOST_DAYS

if TYPE_CHECKING:
    AccountForm = UserCreationForm[User]
else:
    AccountForm = UserCreationForm


class InvitationForm(forms.Form):
    """Whom to invite. What a code must be is the service's to say; it names the field."""

    role = forms.ChoiceField(choices=Membership.Role.choices, initial=Membership.Role.ANNOTATOR)
    code = forms.CharField(strip=True)
    note = forms.CharField(max_length=LONGEST_NOTE, required=False)
    days = forms.IntegerField(min_value=1, max_value=MOST_DAYS, initial=DAYS)
    # Made with the page: a second click on the button makes the same invitation, not another one.
    offer = forms.CharField(widget=forms.HiddenInput)


class RoleForm(forms.Form):
    """What a member is from now on."""

    role = forms.ChoiceField(choices=Membership.Role.choices)


class NewAccountForm(AccountForm):
    """User name and password, checked by Django's own rules; the service stores them."""

    class Meta:
        model = User
        fields = ("username",)


class LinkedAccountForm(forms.Form):
    """A user name; the OpenID provider does the rest."""

    username = forms.CharField(
        max_length=150,
        validators=[UnicodeUsernameValidator()],
        widget=forms.TextInput({"autocomplete": "username", "autocapitalize": "none", "spellcheck": "false"}),
    )

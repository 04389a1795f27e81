"""Forms for leads to invite people and for invited people to join."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django import forms
from django.contrib.auth.forms import UserCreationForm
from django.contrib.auth.validators import UnicodeUsernameValidator

from annotator.models import Membership, User

if TYPE_CHECKING:
    AccountForm = UserCreationForm[User]
else:
    AccountForm = UserCreationForm


class RoleForm(forms.Form):
    """A member's new role."""

    role = forms.ChoiceField(choices=Membership.Role.choices)


class NewAccountForm(AccountForm):
    """User name and password, checked by Django's rules; the service stores them."""

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

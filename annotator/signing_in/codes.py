"""The forms that take a code. Wrong ones are counted per person, in the database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from allauth.core import context
from allauth.mfa.base.forms import AuthenticateForm, ReauthenticateForm
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.forms import ActivateTOTPForm
from django import forms
from django.core.exceptions import ValidationError

from annotator.signing_in.second_factor import SET_UP_WITH, SecondFactorAdapter, spend
from annotator.signing_in.throttling import code_credentials, count_failure, locked, locked_words

if TYPE_CHECKING:
    Base = forms.Form
else:
    Base = object


class Guarded(Base):
    """Tries nothing while it is locked, and takes every code once."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Make the field one for codes."""
        super().__init__(*args, **kwargs)
        self.fields["code"].widget = forms.TextInput(
            {
                "autocomplete": "one-time-code",
                "autocapitalize": "none",
                "spellcheck": "false",
                "autofocus": True,
            }
        )

    def clean_code(self) -> str:
        """Return a code that is right. Raises ValidationError."""
        request, credentials = context.request, code_credentials(self.user)  # type: ignore[attr-defined]
        if locked(request, credentials):
            raise ValidationError(locked_words(request, credentials), "locked")
        try:
            code: str = super().clean_code()  # type: ignore[misc]
            found = getattr(self, "authenticator", None)
            if found is not None and found.type == Authenticator.Type.TOTP and not spend(found, code):
                raise SecondFactorAdapter().validation_error("incorrect_code")
        except ValidationError:
            count_failure(request, credentials)
            raise
        return code


class CodeForm(Guarded, AuthenticateForm):  # type: ignore[misc]  # no types there
    """While signing in."""


class ConfirmForm(Guarded, ReauthenticateForm):  # type: ignore[misc]  # no types there
    """Before something that only the person may do."""


class ActivateForm(Guarded, ActivateTOTPForm):  # type: ignore[misc]  # no types there
    """The first code of a new authenticator, which signs in nowhere afterwards."""

    def clean_code(self) -> str:
        """Return a code that is right. Raises ValidationError."""
        code = super().clean_code()
        setattr(context.request, SET_UP_WITH, code)
        return code

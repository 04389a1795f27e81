"""The forms that take a code. Failed attempts are counted per account, in the database."""

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
    """Refuse codes while locked, and accept each code only once."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Set up the input for one-time codes."""
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
        """Return a correct code. Raises ValidationError."""
        request, credentials = context.request, code_credentials(self.user)  # type: ignore[attr-defined]
        if locked(request, credentials):
            raise ValidationError(locked_words(), "locked")
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
    """The code at sign-in."""


class ConfirmForm(Guarded, ReauthenticateForm):  # type: ignore[misc]  # no types there
    """The code that confirms the user's identity before a sensitive action."""


class ActivateForm(Guarded, ActivateTOTPForm):  # type: ignore[misc]  # no types there
    """The first code of a new authenticator app, which cannot be used again to sign in."""

    def clean_code(self) -> str:
        """Return a correct code. Raises ValidationError."""
        code = super().clean_code()
        setattr(context.request, SET_UP_WITH, code)
        return code

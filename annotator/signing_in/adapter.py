"""The allauth account adapter: no sign-up, no email, our own messages and throttling."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any, Final

from allauth.account.adapter import DefaultAccountAdapter
from allauth.mfa.utils import is_mfa_enabled
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from annotator.models import User
from annotator.signing_in.throttling import check_own_password

_SAID: Final = {
    "mfa/messages/totp_activated.txt": "Authenticator app set up. Signing in now requires a code from it.",
    "mfa/messages/totp_deactivated.txt": "Authenticator app removed. Sign in with your password alone.",
    "socialaccount/messages/account_connected.txt": "Account linked. You can now use it to sign in.",
    "socialaccount/messages/account_connected_updated.txt": "This account is already linked.",
    "socialaccount/messages/account_connected_other.txt": (
        "Not linked: that identity is linked to another account here. Sign in to that account "
        "and unlink it first."
    ),
}


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # no types there
    """Accounts can only sign in here; invitations create them."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Return False: accounts are created by invitation."""
        return False

    def add_message(
        self,
        request: HttpRequest,
        level: int,
        message_template: str | None = None,
        message_context: dict[str, Any] | None = None,
        extra_tags: str = "",
        message: str | None = None,
    ) -> None:
        """Show the messages listed in `_SAID` and drop all others."""
        words = message or _SAID.get(message_template or "")
        if words:
            level = messages.SUCCESS if level == messages.INFO else level
            messages.add_message(request, level, words, PurePath(message_template or "").stem)

    def respond_user_inactive(self, request: HttpRequest, user: User) -> HttpResponse:
        """Send the user of a deactivated account back to the sign-in page."""
        messages.error(request, "This account is deactivated. Ask a lead of your project.", "off")
        return redirect("login")

    def reauthenticate(self, user: User, password: str) -> bool:
        """Check the password of a signed-in user. Raises ValidationError."""
        check_own_password(self.request, user, password)
        return True

    def get_reauthentication_methods(self, user: User) -> list[dict[str, Any]]:
        """Require the code if there is one: the password alone must not remove the second factor."""
        methods: list[dict[str, Any]] = super().get_reauthentication_methods(user)
        if is_mfa_enabled(user):
            return [method for method in methods if method["id"] == "mfa_reauthenticate"]
        return methods

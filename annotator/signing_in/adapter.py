"""What allauth asks of accounts: no sign-up, no mail, our words, and our throttle."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any, Final

from allauth.account.adapter import DefaultAccountAdapter
from allauth.mfa.utils import is_mfa_enabled
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from annotator.models import User
from annotator.signing_in.passwords import check_own_password

_SAID: Final = {
    "mfa/messages/totp_activated.txt": "The authenticator is set up: signing in asks for its code now.",
    "mfa/messages/totp_deactivated.txt": "The authenticator is removed: the password alone lets you in.",
    "socialaccount/messages/account_connected.txt": "Linked: you can sign in with it from now on.",
    "socialaccount/messages/account_connected_updated.txt": "It was linked before.",
    "socialaccount/messages/account_connected_other.txt": (
        "Nothing was linked: that identity belongs to another account here. Sign in to that one, "
        "and unlink it first."
    ),
}


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # no types there
    """Accounts are made by invitations; here they only sign in."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Nobody signs up: there are invitations."""
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
        """Say what is worth a line, in our words; the rest shows by itself."""
        words = message or _SAID.get(message_template or "")
        if words:
            level = messages.SUCCESS if level == messages.INFO else level
            messages.add_message(request, level, words, PurePath(message_template or "").stem)

    def respond_user_inactive(self, request: HttpRequest, user: User) -> HttpResponse:
        """Send somebody whose account is off back to the sign-in."""
        messages.error(
            request, "This account is switched off. A lead of your project can tell you why.", "off"
        )
        return redirect("login")

    def reauthenticate(self, user: User, password: str) -> bool:
        """Check the password of somebody who is signed in. Raises ValidationError."""
        check_own_password(self.request, user, password)
        return True

    def get_reauthentication_methods(self, user: User) -> list[dict[str, Any]]:
        """Ask for the code where there is one: the password alone must not take the second factor away."""
        methods: list[dict[str, Any]] = super().get_reauthentication_methods(user)
        if is_mfa_enabled(user):
            return [method for method in methods if method["id"] == "mfa_reauthenticate"]
        return methods

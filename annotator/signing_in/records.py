"""Events of signing in. They name accounts by number, and know no address, password, code or secret."""

from __future__ import annotations

from typing import Any

from allauth.mfa.models import Authenticator
from allauth.mfa.signals import authenticator_added, authenticator_removed, authenticator_reset
from allauth.socialaccount.signals import social_account_added
from axes.signals import user_locked_out
from django.contrib.auth.signals import user_logged_in
from django.http import HttpRequest

from annotator.models import Event, User
from annotator.signing_in.second_factor import record_factor
from annotator.signing_in.sessions import note_sign_in


def connect() -> None:
    """Listen, from the start of the process on."""
    authenticator_added.connect(_added, dispatch_uid="anatomark")
    authenticator_removed.connect(_removed, dispatch_uid="anatomark")
    authenticator_reset.connect(_reset, dispatch_uid="anatomark")
    social_account_added.connect(_linked, dispatch_uid="anatomark")
    user_locked_out.connect(_locked, dispatch_uid="anatomark")
    user_logged_in.connect(_signed_in, dispatch_uid="anatomark")


def record_link(verb: str, user: User) -> None:
    """Leave an Event of linking, or unlinking, an identity of the OpenID provider."""
    Event.objects.create(project=None, actor=user, verb=verb, data={"account": user.pk})


def _signed_in(request: HttpRequest, **_: Any) -> None:
    note_sign_in(request.session)


def _added(user: User, authenticator: Authenticator, **_: Any) -> None:
    if authenticator.type == Authenticator.Type.TOTP:
        record_factor("second_factor_set", user, user)


def _removed(user: User, authenticator: Authenticator, **_: Any) -> None:
    if authenticator.type == Authenticator.Type.TOTP:
        record_factor("second_factor_removed", user, user)


def _reset(user: User, **_: Any) -> None:
    record_factor("recovery_codes_made", user, user)


def _linked(sociallogin: Any, **_: Any) -> None:
    record_link("sign_in_linked", sociallogin.user)


def _locked(request: HttpRequest, **_: Any) -> None:
    """Note the guess that locked the way to an account; those that follow are not even tried."""
    credentials = getattr(request, "axes_credentials", None) or {}
    if getattr(request, "axes_failures_since_start", None) is None or not credentials.get("username"):
        return
    by_code = credentials.get("step") == "code"
    known = {"pk": credentials["username"]} if by_code else {"username": credentials["username"]}
    user = User.objects.filter(**known).only("pk").first()
    if user is not None:
        data = {"account": user.pk, "step": "code" if by_code else "password"}
        Event.objects.create(project=None, actor=None, verb="sign_in_locked", data=data)

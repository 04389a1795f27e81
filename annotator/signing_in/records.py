"""Record sign-in Events, in the same transaction as the change.

They name accounts by number and contain no address, password, code or secret.
"""

from __future__ import annotations

from typing import Any

from allauth.core import context
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from axes.signals import user_locked_out
from django.db.models.signals import post_delete, post_save, pre_save
from django.http import HttpRequest

from annotator.models import Event, User
from annotator.signing_in.second_factor import spend_at_set_up


def connect() -> None:
    """Connect the signal handlers when the process starts."""
    for model in (Authenticator, SocialAccount):
        post_save.connect(_made, sender=model, dispatch_uid="anatomark")
        post_delete.connect(_gone, sender=model, dispatch_uid="anatomark")
    pre_save.connect(spend_at_set_up, sender=Authenticator, dispatch_uid="anatomark")
    user_locked_out.connect(_locked, dispatch_uid="anatomark")


def _made(instance: Authenticator | SocialAccount, created: bool, **_: Any) -> None:
    if not created:
        return
    if isinstance(instance, SocialAccount):
        _record("sign_in_linked", instance.user)
    else:
        spare = instance.type == Authenticator.Type.RECOVERY_CODES
        _record("recovery_codes_made" if spare else "second_factor_set", instance.user)


def _gone(instance: Authenticator | SocialAccount, **_: Any) -> None:
    if isinstance(instance, SocialAccount):
        _record("sign_in_unlinked", instance.user)
    elif instance.type == Authenticator.Type.TOTP:
        _record("second_factor_removed", instance.user)


def _record(verb: str, user: User) -> None:
    # Pages only change the user's own account; without a request it was a command.
    actor = user if context.request is not None else None
    Event.objects.create(project=None, actor=actor, verb=verb, data={"account": user.pk})


def _locked(request: HttpRequest, **_: Any) -> None:
    """Record the failed attempt that caused a lockout; later ones are refused without a check."""
    credentials = getattr(request, "axes_credentials", None) or {}
    if getattr(request, "axes_failures_since_start", None) is None or not credentials.get("username"):
        return
    by_code = credentials.get("step") == "code"
    known = {"pk": credentials["username"]} if by_code else {"username": credentials["username"]}
    user = User.objects.filter(**known).only("pk").first()
    if user is not None:
        data = {"account": user.pk, "step": "code" if by_code else "password"}
        Event.objects.create(project=None, actor=None, verb="sign_in_locked", data=data)

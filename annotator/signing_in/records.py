"""Record sign-in Events, in the same transaction as the change.

They name accounts by number and contain no address, password, code or secret.
"""

from __future__ import annotations

from typing import Any

from allauth.core import context
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.db.models.signals import post_delete, post_save

from annotator.models import Event, User


def connect() -> None:
    """Connect the signal handlers when the process starts."""
    for model in (Authenticator, SocialAccount):
        post_save.connect(_made, sender=model, dispatch_uid="anatomark")
        post_delete.connect(_gone, sender=model, dispatch_uid="anatomark")


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

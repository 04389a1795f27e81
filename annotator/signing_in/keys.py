"""An account's credentials besides its password: list and delete them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount

from annotator.models import User
from annotator.signing_in.throttling import unlock


def keys_of(user: User) -> Iterator[dict[str, Any]]:
    """Yield the account's credentials, without secrets."""
    for factor in Authenticator.objects.filter(user=user).order_by("pk"):
        yield {
            "kind": "second_factor",
            "type": factor.type,
            "created_at": factor.created_at.isoformat(),
            "last_used_at": factor.last_used_at.isoformat() if factor.last_used_at else None,
        }
    for link in SocialAccount.objects.filter(user=user).order_by("pk"):
        yield {
            "kind": "linked_identity",
            "provider": link.provider,
            "subject": link.uid,
            "linked_at": link.date_joined.isoformat(),
            "last_used_at": link.last_login.isoformat(),
        }


def forget_keys(user: User) -> None:
    """Delete all credentials and the count of failed attempts."""
    Authenticator.objects.filter(user=user).delete()
    SocialAccount.objects.filter(user=user).delete()
    EmailAddress.objects.filter(user=user).delete()
    unlock(user)

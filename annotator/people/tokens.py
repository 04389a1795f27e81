"""API tokens: programs read with them what their owner may read, until they expire.

A token's secret is 240 random bits. Only its SHA-256 is stored, and Events name a token by its hint. A token
stops working when its account is deactivated or gets a new password. Revoked tokens are deleted.
"""

from __future__ import annotations

import secrets
from datetime import timedelta
from hashlib import sha256
from typing import Final

from django.utils import timezone

from annotator.database.transactions import write_transaction
from annotator.models import ApiToken, Event, User

PREFIX: Final = "anm_"
"""Identifies a leaked token to people and secret scanners."""
SECRET_BYTES: Final = 30
LENGTH: Final = len(PREFIX) + SECRET_BYTES * 4 // 3
HINT: Final = len(PREFIX) + 4
DAYS: Final = 90
MOST_DAYS: Final = 365
LONGEST_NAME: Final = 80


def digest_of(secret: str) -> str:
    """Return what the database stores of a secret."""
    return sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def create_token(*, user: User, name: str, days: int) -> tuple[ApiToken, str]:
    """Make a token valid for `days` days; return it and its secret, which is stored nowhere.

    Records an Event without a project, because a token belongs to an account.
    """
    secret = PREFIX + secrets.token_urlsafe(SECRET_BYTES)
    with write_transaction():
        token = ApiToken.objects.create(
            user=user,
            name=name,
            secret_sha256=digest_of(secret),
            hint=secret[:HINT],
            expires_at=timezone.now() + timedelta(days=days),
        )
        _record("token_made", user, token, expires_at=token.expires_at.isoformat())
    return token, secret


def revoke_token(token: ApiToken) -> None:
    """Delete a token; only one of two concurrent calls records an Event."""
    with write_transaction():
        if ApiToken.objects.filter(pk=token.pk).delete()[0]:
            _record("token_revoked", token.user, token)


def revoke_all(user: User) -> None:
    """Revoke all tokens of an account."""
    with write_transaction():
        revoked, _ = user.api_tokens.all().delete()
        if revoked:
            data = {"account": user.pk, "tokens": revoked}
            Event.objects.create(project=None, actor=user, verb="tokens_revoked", data=data)


def token_with(secret: str) -> ApiToken | None:
    """Return the valid token with this secret, with its active account.

    Returns None alike for an unknown, expired or revoked token and a deactivated account.
    """
    if len(secret) != LENGTH:
        return None
    good = ApiToken.objects.filter(expires_at__gt=timezone.now(), user__is_active=True)
    return good.select_related("user").filter(secret_sha256=digest_of(secret)).first()


class RevokesTokens:
    """A password validator that revokes tokens: Django notifies validators of every new password.

    This covers the pages, the Django admin and the commands alike.
    """

    def validate(self, password: str, user: User | None = None) -> None:
        """Accept every password."""

    def get_help_text(self) -> str:
        """Return the help text shown below the field."""
        return "A new password revokes every API token of the account."

    def password_changed(self, password: str, user: User | None = None) -> None:
        """Revoke the account's tokens and record an Event."""
        if user is not None:
            with write_transaction():
                revoke_all(user)
                Event.objects.create(verb="password_changed", data={"account": user.pk})


def _record(verb: str, actor: User, token: ApiToken, **facts: str) -> None:
    data = {"token": token.pk, "name": token.name, "hint": token.hint, **facts}
    Event.objects.create(project=None, actor=actor, verb=verb, data=data)

"""API tokens: programs read with them what their owner may read, until they expire.

A token's secret is 240 random bits. Only its SHA-256 is stored, and Events name a token by its hint. A token
stops working when its account is deactivated or gets a new password.
"""

from __future__ import annotations

from base64 import urlsafe_b64encode
from datetime import timedelta
from hashlib import sha256
from typing import Final
from uuid import UUID

from django.db.models import TextChoices
from django.utils import timezone
from django.utils.crypto import salted_hmac

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


class TokenState(TextChoices):
    """The state of a token."""

    OPEN = "open", "Active"
    EXPIRED = "expired", "Expired"
    REVOKED = "revoked", "Revoked"


def secret_of_form(request_key: UUID, user: User) -> str:
    """Return the secret of the token that a form makes: the same for the same key, and stored nowhere."""
    made = salted_hmac("anatomark.token", f"{user.pk} {request_key}", algorithm="sha256").digest()
    return as_token(urlsafe_b64encode(made).decode("ascii"))


def as_token(secret: str) -> str:
    """Return the secret of a token, made of random text."""
    return PREFIX + secret[: LENGTH - len(PREFIX)]


def digest_of(secret: str) -> str:
    """Return what the database stores of a secret."""
    return sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def create_token(*, user: User, name: str, days: int, secret: str) -> ApiToken:
    """Store a token valid for `days` days and return it; a repeated secret returns the first one.

    Records an Event without a project, because a token belongs to an account.
    """
    digest = digest_of(secret)
    with write_transaction():
        # Serialise requests of an account: a repeated submission creates only one token.
        User.objects.select_for_update(no_key=True).get(pk=user.pk)
        if made := user.api_tokens.filter(secret_sha256=digest).first():
            return made
        made = ApiToken.objects.create(
            user=user,
            name=name,
            secret_sha256=digest,
            hint=secret[:HINT],
            expires_at=timezone.now() + timedelta(days=days),
        )
        _record("token_made", user, made, expires_at=made.expires_at.isoformat())
    return made


def revoke_token(*, token: ApiToken, actor: User) -> bool:
    """Revoke a token; returns False if it was already revoked."""
    with write_transaction():
        if ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now()) != 1:
            return False
        _record("token_revoked", actor, token)
    return True


def revoke_all(user: User) -> None:
    """Revoke all tokens of an account."""
    with write_transaction():
        revoked = ApiToken.objects.filter(user=user, revoked_at=None).update(revoked_at=timezone.now())
        if revoked:
            data = {"account": user.pk, "tokens": revoked}
            Event.objects.create(project=None, actor=user, verb="tokens_revoked", data=data)


def token_with(secret: str) -> ApiToken | None:
    """Return the valid token with this secret, with its active account.

    Returns None alike for an unknown, expired or revoked token and a deactivated account.
    """
    if len(secret) != LENGTH:
        return None
    good = ApiToken.objects.filter(revoked_at=None, expires_at__gt=timezone.now(), user__is_active=True)
    return good.select_related("user").filter(secret_sha256=digest_of(secret)).first()


def state_of(token: ApiToken) -> TokenState:
    """Return the state of a token."""
    if token.revoked_at is not None:
        return TokenState.REVOKED
    return TokenState.OPEN if timezone.now() < token.expires_at else TokenState.EXPIRED


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

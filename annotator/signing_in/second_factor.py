"""The second factor: codes from an authenticator app, and recovery codes.

Their secrets are stored encrypted with a key derived from SECRET_KEY, so a stolen backup yields no codes.
"""

from __future__ import annotations

import base64
import logging
import secrets
from hashlib import sha256
from typing import Final

from allauth.core import context
from allauth.core.internal.cryptokit import normalize_user_code
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.utils.crypto import salted_hmac

from annotator.database.transactions import write_transaction
from annotator.models import User

SET_UP_WITH: Final = "authenticator_set_up_with"
"""The request attribute with the code used to set up an authenticator app."""

_SPENT_KEPT: Final = 8
_LOG: Final = logging.getLogger(__name__)


class SecondFactorAdapter(DefaultMFAAdapter):  # type: ignore[misc]  # no types there
    """Encrypt secrets, and use our own error messages."""

    error_messages = {
        **DefaultMFAAdapter.error_messages,
        "incorrect_code": "Incorrect or already used code. Wait for the next code and try again.",
    }

    def get_totp_label(self, user: User) -> str:
        """Return the label shown in the authenticator app: the user name, never an email address."""
        return user.username

    def encrypt(self, text: str) -> str:
        """Return the encrypted text."""
        return _cipher().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        """Return the decrypted text; with another SECRET_KEY, a random secret that matches no code."""
        try:
            return _cipher().decrypt(encrypted_text.encode()).decode()
        except InvalidToken:
            _LOG.error("A second factor was encrypted with another SECRET_KEY. Run remove_second_factor.")
            return base64.b32encode(secrets.token_bytes(20)).decode()


def remove_second_factor(user: User) -> bool:
    """Delete authenticator app and recovery codes; returns False if there are none."""
    with write_transaction():
        return bool(Authenticator.objects.filter(user=user).delete()[0])


def spend(authenticator: Authenticator, code: str) -> bool:
    """Mark a code as used; returns False if any process has used it before.

    The library only remembers used codes in the memory of one process.
    """
    mark = _mark(authenticator, code)
    with write_transaction():
        row = Authenticator.objects.select_for_update().get(pk=authenticator.pk)
        spent = row.data.get("spent", [])
        if mark in spent:
            return False
        row.data["spent"] = [*spent, mark][-_SPENT_KEPT:]
        row.save(update_fields=["data"])
    authenticator.data = row.data
    return True


def spend_at_set_up(instance: Authenticator, **_: object) -> None:
    """Mark the code that set up an authenticator app as used when its row is created."""
    code = getattr(context.request, SET_UP_WITH, "")
    if code and instance.pk is None and instance.type == Authenticator.Type.TOTP:
        instance.data["spent"] = [_mark(instance, code)]


def _mark(authenticator: Authenticator, code: str) -> str:
    # Normalise as the library does: 123 456 is 123456.
    said = f"{authenticator.user_id}:{normalize_user_code(code)}"
    return salted_hmac("anatomark.spent", said, algorithm="sha256").hexdigest()[:24]


def _cipher() -> MultiFernet:
    said = b"anatomark.second-factor:"
    keys = [settings.SECRET_KEY, *map(str, settings.SECRET_KEY_FALLBACKS)]
    digests = [sha256(said + key.encode()).digest() for key in keys]
    return MultiFernet([Fernet(base64.urlsafe_b64encode(digest)) for digest in digests])

"""The second factor: codes of an authenticator, and recovery codes for when it is lost.

What they are made from is stored encrypted with a key of SECRET_KEY: a stolen backup gives no codes.
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
"""The request's attribute that holds the code with which an authenticator is being set up."""

_SPENT_KEPT: Final = 8
_LOG: Final = logging.getLogger(__name__)


class SecondFactorAdapter(DefaultMFAAdapter):  # type: ignore[misc]  # no types there
    """Encrypts, and says things in our words."""

    error_messages = {
        **DefaultMFAAdapter.error_messages,
        "incorrect_code": "Not the code that is shown now, or one that was used. Wait for the next.",
    }

    def get_totp_label(self, user: User) -> str:
        """Return what an authenticator shows: the user name, never an e-mail address."""
        return user.username

    def encrypt(self, text: str) -> str:
        """Return what is stored."""
        return _cipher().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        """Return what was stored; with another SECRET_KEY something random, with which no code is right."""
        try:
            return _cipher().decrypt(encrypted_text.encode()).decode()
        except InvalidToken:
            _LOG.error(
                "A second factor was stored with another SECRET_KEY: remove_second_factor lets people in."
            )
            return base64.b32encode(secrets.token_bytes(20)).decode()


def has_second_factor(user: User) -> bool:
    """Tell whether signing in asks for a code."""
    return bool(Authenticator.objects.filter(user=user, type=Authenticator.Type.TOTP).exists())


def remove_second_factor(user: User) -> bool:
    """Take authenticator and recovery codes away; returns False where there are none."""
    with write_transaction():
        return bool(Authenticator.objects.filter(user=user).delete()[0])


def spend(authenticator: Authenticator, code: str) -> bool:
    """Use a code up; returns False where it was used before, by whatever process.

    The library remembers this in the memory of one process, which another one does not see.
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
    """Store the code that shows that an authenticator is set up as used, in the row's first moment."""
    code = getattr(context.request, SET_UP_WITH, "")
    if code and instance.pk is None and instance.type == Authenticator.Type.TOTP:
        instance.data["spent"] = [_mark(instance, code)]


def _mark(authenticator: Authenticator, code: str) -> str:
    # As the library compares codes: 123 456 is 123456.
    said = f"{authenticator.user_id}:{normalize_user_code(code)}"
    return salted_hmac("anatomark.spent", said, algorithm="sha256").hexdigest()[:24]


def _cipher() -> MultiFernet:
    keys = [settings.SECRET_KEY, *map(str, settings.SECRET_KEY_FALLBACKS)]
    return MultiFernet([Fernet(_fernet_key(key)) for key in keys])


def _fernet_key(secret: str) -> bytes:
    return base64.urlsafe_b64encode(sha256(b"anatomark.second-factor:" + secret.encode()).digest())

"""The second factor: codes from an authenticator app, and recovery codes.

Their secrets are stored encrypted with a key derived from SECRET_KEY, so a stolen backup yields no codes.
"""

from __future__ import annotations

import base64
import logging
import secrets
from hashlib import sha256
from typing import Final

from allauth.core.internal.cryptokit import normalize_user_code
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.app_settings import TOTP_PERIOD, TOTP_TOLERANCE
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value, yield_hotp_counters_from_time
from allauth.mfa.utils import decrypt
from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings

from annotator.database.transactions import write_transaction
from annotator.models import User

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
    """Use up a correct code; returns False if it or a later one was used before, in any process.

    Nor are codes taken that may have set up the app. The library only remembers used codes in one process.
    """
    secret, steps = decrypt(authenticator.data["secret"]), yield_hotp_counters_from_time()
    shown = {format_hotp_value(hotp_value(secret, step)): step for step in steps}
    with write_transaction():
        row = Authenticator.objects.select_for_update().get(pk=authenticator.pk)
        set_up = int(row.created_at.timestamp()) // TOTP_PERIOD + TOTP_TOLERANCE
        step = shown.get(normalize_user_code(code), 0)
        if step <= row.data.get("used_step", set_up):
            return False
        row.data["used_step"] = step
        row.save(update_fields=["data"])
    authenticator.data = row.data
    return True


def _cipher() -> MultiFernet:
    said = b"anatomark.second-factor:"
    keys = [settings.SECRET_KEY, *map(str, settings.SECRET_KEY_FALLBACKS)]
    digests = [sha256(said + key.encode()).digest() for key in keys]
    return MultiFernet([Fernet(base64.urlsafe_b64encode(digest)) for digest in digests])

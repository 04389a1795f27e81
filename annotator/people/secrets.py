"""The secrets of links: random, shown once; only their SHA-256 is stored."""

from __future__ import annotations

import hmac
import secrets
from base64 import urlsafe_b64encode
from hashlib import sha256
from typing import Final

from django.core.signing import BadSignature, TimestampSigner

from annotator.models import User

SECRET_BYTES: Final = 32
OFFER_SECONDS: Final = 24 * 60 * 60


def new_secret() -> str:
    """Return a random secret for a new link."""
    return secrets.token_urlsafe(SECRET_BYTES)


def offer_secret(secret: str, about: str, user: User) -> str:
    """Return a new secret signed, so that a form can only send back a secret generated here.

    `about` is what it is for: the slug of a project, or else words with a space.
    """
    return _signer(about, user).sign(secret)


def offered_secret(offer: str, about: str, user: User) -> str:
    """Return the secret of an offer; empty if its signature is invalid or it has expired."""
    try:
        return _signer(about, user).unsign(offer, max_age=OFFER_SECONDS)
    except BadSignature:
        return ""


def _signer(about: str, user: User) -> TimestampSigner:
    return TimestampSigner(salt=f"anatomark.offer.{about}.{user.pk}")


def digest_of(secret: str) -> str:
    """Return what the database stores of a secret."""
    return sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def secret_for(seed: str, code: str) -> str:
    """Return the secret of one of several links: the same for the same random `seed` and code.

    A repeated form thus gives the same links, although they are stored nowhere.
    """
    made = hmac.digest(seed.encode(), code.encode("utf-8", "surrogatepass"), "sha256")
    return urlsafe_b64encode(made).rstrip(b"=").decode("ascii")

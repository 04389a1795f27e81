"""The secrets of links: random, shown once; only their SHA-256 is stored."""

from __future__ import annotations

import hmac
import secrets
from base64 import urlsafe_b64encode
from hashlib import sha256
from typing import Final
from uuid import UUID

from django.conf import settings

from annotator.models import User

SECRET_BYTES: Final = 32


def new_secret() -> str:
    """Return a random secret for a new link."""
    return secrets.token_urlsafe(SECRET_BYTES)


def secret_of_form(request_key: UUID, about: str, user: User) -> str:
    """Return the secret that a form makes: the same for the same idempotency key, and stored nowhere.

    `about` is what it is for: the slug of a project, or else words with a space.
    """
    return secret_for(settings.SECRET_KEY, f"secret of a form {about} {user.pk} {request_key}")


def digest_of(secret: str) -> str:
    """Return what the database stores of a secret."""
    return sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def secret_for(seed: str, code: str) -> str:
    """Return the secret of one of several links: the same for the same random `seed` and code.

    A repeated form thus gives the same links, although they are stored nowhere.
    """
    made = hmac.digest(seed.encode(), code.encode("utf-8", "surrogatepass"), "sha256")
    return urlsafe_b64encode(made).rstrip(b"=").decode("ascii")

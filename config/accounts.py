"""Sign-in settings from the environment."""

from __future__ import annotations

import ipaddress
import os
from dataclasses import dataclass
from hashlib import sha256
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

from config import env

_WANTED = ("OIDC_ISSUER", "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET")


@dataclass(frozen=True)
class SingleSignOn:
    """An OpenID provider whose users may sign in once their accounts are linked."""

    name: str
    issuer: str
    client_id: str
    client_secret: str

    @property
    def key(self) -> str:
        """Return the key of stored links, which must never count for another issuer."""
        return f"oidc-{sha256(self.issuer.encode()).hexdigest()[:16]}"


def single_sign_on() -> SingleSignOn | None:
    """Return the settings of the OIDC_ variables; None if none are set.

    Raise ImproperlyConfigured if some are missing or secrets would travel unencrypted.
    """
    name = os.environ.get("OIDC_NAME", "").strip()
    issuer = os.environ.get("OIDC_ISSUER", "").strip()
    given = dict(
        zip(
            _WANTED,
            (issuer, os.environ.get("OIDC_CLIENT_ID", "").strip(), env.secret(_WANTED[2])),
            strict=True,
        )
    )
    if not any(given.values()):
        return None
    if missing := [wanted for wanted, value in given.items() if not value]:
        raise ImproperlyConfigured(f"{' and '.join(missing)} not set, but other OIDC_ variables are.")
    parts = urlsplit(issuer)
    if parts.query or parts.fragment or not (parts.scheme == "https" or _on_this_machine(parts.hostname)):
        raise ImproperlyConfigured(
            f"OIDC_ISSUER={issuer!r} is not an issuer. Use an https:// URL without a query."
        )
    return SingleSignOn(name or parts.hostname or issuer, *given.values())


def _on_this_machine(host: str | None) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host or "").is_loopback
    except ValueError:
        return False

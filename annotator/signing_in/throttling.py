"""Count failed attempts by client address, and refuse further ones for a while after too many.

django-axes stores the counts in the database, where they outlive processes and Redis, without what was typed,
because people type passwords into the wrong field. Sign-in is locked per address, never the account itself:
existing sessions stay signed in and can save. How many attempts are allowed is in `config/limits.py`.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta
from typing import Any, Final

from axes.handlers.database import AxesDatabaseHandler
from axes.handlers.proxy import AxesProxyHandler
from axes.models import AccessAttempt
from django.conf import settings
from django.contrib.auth import authenticate
from django.core.exceptions import ValidationError
from django.db import IntegrityError
from django.db.models import Sum
from django.http import HttpRequest
from django.utils.crypto import salted_hmac

from annotator.models import User

# A subscriber controls at least a /64 of IPv6 addresses, so limits apply to whole networks.
_IPV6_PREFIX: Final = 64


def client_address(request: HttpRequest) -> str | None:
    """Return the client's address; None if it is unknown.

    Each trusted proxy appends its caller's address to X-Forwarded-For, so the client is as many entries from
    the right as there are proxies. Entries further left come from the client and are ignored. The header is
    used only in requests from a trusted proxy's network.
    """
    caller = _parsed(request.META.get("REMOTE_ADDR", ""))
    count = settings.TRUSTED_PROXIES
    if count and caller and any(caller in network for network in settings.TRUSTED_PROXY_NETWORKS):
        said = [part.strip() for part in request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")]
        told = _parsed(said[-count]) if len(said) >= count else None
        caller = told or caller
    return _as_one(caller)


def _parsed(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        found = ipaddress.ip_address(text)
    except ValueError:
        return None
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    return mapped or found


def _as_one(address: ipaddress.IPv4Address | ipaddress.IPv6Address | None) -> str | None:
    if isinstance(address, ipaddress.IPv6Address):
        network = ipaddress.IPv6Network((address, _IPV6_PREFIX), strict=False)
        return str(network.network_address)
    return str(address) if address else None


_TRIES: Final = 3

Credentials = Mapping[str, Any]


def code_credentials(user: User) -> dict[str, Any]:
    """Return the key for attempts at an account's codes, which require its password or session."""
    return {"username": str(user.pk), "step": "code"}


def locked(request: HttpRequest, credentials: Credentials) -> bool:
    """Tell whether attempts are locked at present."""
    return not AxesProxyHandler.is_allowed(request, credentials)


def count_failure(request: HttpRequest, credentials: Credentials) -> None:
    """Count a failed attempt."""
    AxesProxyHandler.user_login_failed(User, dict(credentials), request)


def locked_words() -> str:
    """Return the message for a lockout."""
    return (
        f"Too many failed attempts. Wait {settings.AXES_COOLOFF_TIME // timedelta(minutes=1)} minutes, then "
        "try again. Until then, even the correct password will not work. Existing sessions are not affected."
    )


def stored_name(_: HttpRequest, credentials: Credentials | None) -> str:
    """Return the digest stored in place of a user name (AXES_USERNAME_CALLABLE)."""
    return _digest(credentials) if credentials and credentials.get("username") else ""


def counted_together(_: HttpRequest, credentials: Credentials | None = None) -> list[str | list[str]]:
    """Return the keys by which attempts are summed (AXES_LOCKOUT_PARAMETERS)."""
    if credentials and credentials.get("step") == "code":
        return ["username"]
    return [["username", "ip_address"], "ip_address"]


def nobody(*_: object) -> str:
    """Return the name of a client in logs (AXES_CLIENT_STR_CALLABLE), without personal data."""
    return "a client"


class Handler(AxesDatabaseHandler):  # type: ignore[misc]  # no types there
    """Apply both limits; a successful sign-in clears only its own failed attempts."""

    def user_login_failed(self, *given: Any, **named: Any) -> None:
        """Count a failed attempt, retrying on concurrent ones."""
        for _ in range(_TRIES - 1):
            # Two concurrent failures share a row, which a success may delete in between: try again.
            with suppress(IntegrityError):
                super().user_login_failed(*given, **named)
                return
        super().user_login_failed(*given, **named)

    def get_failures(self, request: HttpRequest, credentials: Credentials | None = None) -> int:
        """Return the number to compare with AXES_FAILURE_LIMIT, with an address's failures scaled down."""
        sums = [
            found.aggregate(sum=Sum("failures_since_start"))["sum"] or 0
            for found in self.get_user_attempts(request, credentials)
        ]
        scale = settings.AXES_FAILURE_LIMIT
        return max(sums[0], *(count * scale // settings.FAILURES_BY_ADDRESS for count in sums[1:]), 0)

    def reset_user_attempts(self, request: HttpRequest, credentials: Credentials | None = None) -> int:
        """Delete the failed attempts for a name from the address that succeeded, and for its codes.

        The address's other attempts stay: otherwise an attacker could reset them with their own account.
        """
        name = (credentials or {}).get("username", "")
        address = request.axes_ip_address  # type: ignore[attr-defined]
        own = AccessAttempt.objects.filter(username=_digest({"username": name}), ip_address=address)
        user = User.objects.filter(username=name).only("pk").first()
        codes = AccessAttempt.objects.filter(username=_digest(code_credentials(user))) if user else None
        number: int = own.delete()[0] + (codes.delete()[0] if codes is not None else 0)
        return number


def _digest(credentials: Credentials) -> str:
    said = f"{credentials.get('step', 'password')}:{credentials['username']}"
    return salted_hmac("anatomark.throttling", said, algorithm="sha256").hexdigest()


WRONG = "Incorrect password."


def check_own_password(request: HttpRequest, user: User, password: str) -> None:
    """Raise ValidationError for an incorrect password or a locked-out client."""
    credentials = {"username": user.username}
    found = authenticate(request, **credentials, password=password)
    if found is None and getattr(request, "axes_locked_out", False):
        raise ValidationError(locked_words(), "locked")
    if found is None or found.pk != user.pk:
        raise ValidationError(WRONG, "wrong")

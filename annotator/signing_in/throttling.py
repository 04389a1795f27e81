"""Wrong guesses are counted, and after some of them nothing is tried for a while.

Rows of django-axes hold the counts: they outlive every process and Redis. They never hold what somebody
typed, because people type passwords into the wrong field. An account itself is never locked, only the way to
it from one address: who is signed in stays so, and goes on saving, whatever others try.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

from axes.handlers.database import AxesDatabaseHandler
from axes.handlers.proxy import AxesProxyHandler
from axes.models import AccessAttempt
from django.conf import settings
from django.db import IntegrityError
from django.db.models import Max, Sum
from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import salted_hmac

from annotator.models import User

BY_NAME: Final = 5
"""Wrong guesses at one name from one address, or at one person's codes from anywhere."""
BY_ADDRESS: Final = 50
"""Wrong guesses from one address: a whole laboratory may stand behind it."""

_TRIES: Final = 3

Credentials = Mapping[str, Any]


def code_credentials(user: User) -> dict[str, Any]:
    """Name the guesses at somebody's codes: only who has the password, or the session, gets to make them."""
    return {"username": str(user.pk), "step": "code"}


def locked(request: HttpRequest, credentials: Credentials) -> bool:
    """Tell whether nothing is tried for the time being."""
    return not AxesProxyHandler.is_allowed(request, credentials)


def count_failure(request: HttpRequest, credentials: Credentials) -> None:
    """Count a wrong guess."""
    AxesProxyHandler.user_login_failed(User, dict(credentials), request)


def minutes_left(request: HttpRequest, credentials: Credentials) -> int:
    """Return after how many minutes the next guess is tried, at the latest."""
    AxesProxyHandler.update_request(request)
    handler = AxesProxyHandler.get_implementation()
    moments = [
        found.aggregate(last=Max("attempt_time"))["last"]
        for found in handler.get_user_attempts(request, credentials)
    ]
    last = max((moment for moment in moments if moment), default=timezone.now())
    left = last + settings.AXES_COOLOFF_TIME - timezone.now()
    return max(1, math.ceil(left.total_seconds() / 60))


def locked_words(request: HttpRequest, credentials: Credentials) -> str:
    """Say how long to wait, and what else helps."""
    minutes = minutes_left(request, credentials)
    return (
        f"Too many wrong tries. Wait {minutes} minute{'' if minutes == 1 else 's'}, then try again: sooner, "
        "not even the right one opens. Whoever runs this site can unlock it at once. Where you are signed in "
        "already, nothing is lost."
    )


def unlock(user: User) -> int:
    """Forget the wrong guesses at an account's name and codes; returns how many there were."""
    names = [_digest({"username": user.username}), _digest(code_credentials(user))]
    found = AccessAttempt.objects.filter(username__in=names)
    number = found.aggregate(sum=Sum("failures_since_start"))["sum"] or 0
    found.delete()
    return number


def unlock_address(address: str) -> int:
    """Forget the wrong guesses from an address; returns how many there were."""
    found = AccessAttempt.objects.filter(ip_address=address)
    number = found.aggregate(sum=Sum("failures_since_start"))["sum"] or 0
    found.delete()
    return number


def stored_name(_: HttpRequest, credentials: Credentials | None) -> str:
    """Return what stands for a name in the rows (AXES_USERNAME_CALLABLE)."""
    return _digest(credentials) if credentials and credentials.get("username") else ""


def counted_together(_: HttpRequest, credentials: Credentials | None = None) -> list[str | list[str]]:
    """Return which guesses are added up (AXES_LOCKOUT_PARAMETERS)."""
    if credentials and credentials.get("step") == "code":
        return ["username"]
    return [["username", "ip_address"], "ip_address"]


def nobody(*_: object) -> str:
    """Return what logs say of a client (AXES_CLIENT_STR_CALLABLE): nothing of people."""
    return "a client"


class Handler(AxesDatabaseHandler):  # type: ignore[misc]  # no types there
    """Two limits, and a success that clears its own guesses only."""

    def user_login_failed(self, *given: Any, **named: Any) -> None:
        """Count a wrong guess, whoever else guesses at the same moment."""
        for _ in range(_TRIES - 1):
            # Two wrong guesses make one row, and a right one takes it away before the second has found it:
            # what the library then reports as broken is only to be looked at anew.
            with suppress(IntegrityError):
                super().user_login_failed(*given, **named)
                return
        super().user_login_failed(*given, **named)

    def get_failures(self, request: HttpRequest, credentials: Credentials | None = None) -> int:
        """Return the number to compare with BY_NAME; what an address is allowed counts for less."""
        sums = [
            found.aggregate(sum=Sum("failures_since_start"))["sum"] or 0
            for found in self.get_user_attempts(request, credentials)
        ]
        return max(sums[0], *(count * BY_NAME // BY_ADDRESS for count in sums[1:]), 0)

    def reset_user_attempts(self, request: HttpRequest, credentials: Credentials | None = None) -> int:
        """Forget the guesses at a name from the address where it was right at last, and at its codes.

        Not the address's others: one account of one's own would open all the rest.
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

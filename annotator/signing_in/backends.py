"""Stands before Django's own backend: where too much was guessed, no password is looked at."""

from __future__ import annotations

from typing import Any

from axes.backends import AxesStandaloneBackend
from django.http import HttpRequest


class Throttle(AxesStandaloneBackend):  # type: ignore[misc]  # no types there
    """Refuses what is locked; a call without a request (a command, a test) has no client to lock out."""

    def authenticate(
        self,
        request: HttpRequest | None,
        username: str | None = None,
        password: str | None = None,
        **kwargs: Any,
    ) -> None:
        """Raise PermissionDenied for who is locked out."""
        if request is not None:
            super().authenticate(request, username=username, password=password, **kwargs)

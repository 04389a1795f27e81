"""Authentication backends: throttling first, then Django's accounts."""

from __future__ import annotations

from typing import Any, Final

from axes.backends import AxesStandaloneBackend
from django.contrib.auth.backends import ModelBackend
from django.http import HttpRequest

from annotator.database.prepared import PreparedObjects
from annotator.models import User


class Throttle(AxesStandaloneBackend):  # type: ignore[misc]  # no types there
    """Refuse locked-out clients; calls without a request (commands, tests) are exempt."""

    def authenticate(
        self,
        request: HttpRequest | None,
        username: str | None = None,
        password: str | None = None,
        **kwargs: Any,
    ) -> None:
        """Raise PermissionDenied for a locked-out client."""
        if request is not None:
            super().authenticate(request, username=username, password=password, **kwargs)


class Accounts(ModelBackend):
    """Django's accounts, with a prepared query for the user of a session."""

    def get_user(self, user_id: int) -> User | None:
        """Return the account of a session; None if it does not exist or may not sign in."""
        user = _ACCOUNT.first(user_id)
        return user if user is not None and self.user_can_authenticate(user) else None


_ACCOUNT: Final = PreparedObjects(lambda pk: User.objects.filter(pk=pk))

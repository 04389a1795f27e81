"""Who may come in: Django's own accounts, and before them what refuses where too much was guessed."""

from __future__ import annotations

from typing import Any, Final

from axes.backends import AxesStandaloneBackend
from django.contrib.auth.backends import ModelBackend
from django.http import HttpRequest

from annotator.database.prepared import PreparedObjects
from annotator.models import User


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


class Accounts(ModelBackend):
    """Django's own accounts; who a session is of, which every request asks, is one prepared query."""

    def get_user(self, user_id: int) -> User | None:
        """Return the account of a session, None where there is none or it may not sign in."""
        user = _ACCOUNT.first(user_id)
        return user if user is not None and self.user_can_authenticate(user) else None


_ACCOUNT: Final = PreparedObjects(lambda pk: User.objects.filter(pk=pk))

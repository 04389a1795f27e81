"""Sessions that expire when idle, and at a fixed time after sign-in.

The cookie lasts as long as the longest session; the row holds the expiry date. During use, the date is
extended at most once an hour by an update of that column alone, so that concurrent writes to the session are
not lost.
"""

from __future__ import annotations

import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore as DatabaseStore
from django.db import DatabaseError
from django.utils import timezone

from annotator.database.prepared import PreparedObjects

SINCE: Final = "signed_in_at"
MOVED_EVERY: Final = timedelta(hours=1)
LEAST_KEY: Final = 8
"""Characters; Django's limit."""


class SessionStore(DatabaseStore):
    """Django's session table with our own expiry."""

    def _validate_session_key(self, key: str | None) -> bool:
        """Tell whether a cookie's value can be a key: a quoted one can contain anything, even NUL."""
        return bool(key and len(key) >= LEAST_KEY and key.isascii() and key.isalnum())

    def load(self) -> dict[str, Any]:
        """Load the session, and extend it if a user is signed in."""
        row = self._get_session_from_db()
        if row is None:
            return {}
        data: dict[str, Any] = self.decode(row.session_data)
        if SESSION_KEY in data and SINCE in data:
            self._move_on(row, end_of(data))
        return data

    def _get_session_from_db(self) -> Any:
        """Return the row; None if it does not exist or has expired. Uses a prepared query."""
        row = _ROW.first(self.session_key) if self.session_key else None
        if row is None or row.expire_date <= timezone.now():
            self._session_key = None
            return None
        return row

    def get_expiry_date(self, **_: Any) -> datetime:
        """Return when the session expires if it is not used again."""
        return end_of(self._session)  # type: ignore[attr-defined]

    def _move_on(self, row: Any, end: datetime) -> None:
        if end - row.expire_date < MOVED_EVERY:
            return
        # A failed extension must not fail the request.
        with suppress(DatabaseError):
            self.model.objects.filter(pk=row.pk, expire_date=row.expire_date).update(expire_date=end)


_ROW: Final = PreparedObjects(lambda key: SessionStore.get_model_class().objects.filter(session_key=key))


def note_sign_in(session: Any) -> None:
    """Store the time of sign-in, which limits the session."""
    session[SINCE] = int(time.time())


def end_of(data: dict[str, Any]) -> datetime:
    """Return when a session with these contents ends if it is not used again."""
    idle = timezone.now() + settings.SESSION_IDLE
    since = data.get(SINCE)
    if not isinstance(since, int):
        return idle
    return min(idle, datetime.fromtimestamp(since, UTC) + timedelta(seconds=settings.SESSION_COOKIE_AGE))

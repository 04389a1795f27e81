"""Django's sessions in the database, whose keys are checked before they are looked for."""

from __future__ import annotations

from typing import Final

from django.contrib.sessions.backends.db import SessionStore as DatabaseStore

LEAST_KEY: Final = 8
"""Characters; Django's limit."""


class SessionStore(DatabaseStore):
    """Django's session table."""

    def _validate_session_key(self, key: str | None) -> bool:
        """Tell whether a cookie's value can be a key: a quoted one can contain anything, even NUL."""
        return bool(key and len(key) >= LEAST_KEY and key.isascii() and key.isalnum())

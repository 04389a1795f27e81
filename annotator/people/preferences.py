"""A user's settings of the annotation page and of adjudicating."""

from __future__ import annotations

from typing import Any, Final

from annotator.database.transactions import write_transaction
from annotator.models import User
from annotator.models.people import default_preferences
from scoring.payloads import Refusals, read_choice, read_flag, read_object

SURROUNDS: Final = ("auto", "light", "dark")

_KEYS: Final = ("single_keys", "surround", "show_score", "hide_codes")


def preferences_of(user: User) -> dict[str, Any]:
    """Return `surround` ("auto", "light", "dark") and the flags `single_keys`, `show_score`, `hide_codes`."""
    stored = user.preferences if isinstance(user.preferences, dict) else {}
    known = {key: stored[key] for key in _KEYS if key in stored}
    return {**default_preferences(), **known}


def change_preferences(*, user: User, changes: object) -> dict[str, Any]:
    """Store the given settings and return all of them. Raises InvalidPayload."""
    read = _read(changes)
    with write_transaction():
        current = User.objects.select_for_update().get(pk=user.pk)
        user.preferences = {**preferences_of(current), **read}
        User.objects.filter(pk=user.pk).update(preferences=user.preferences)
    return preferences_of(user)


def _read(changes: object) -> dict[str, Any]:
    refusals = Refusals()
    given = read_object(changes, _KEYS, "", refusals) or {}
    read: dict[str, Any] = {}
    for key, value in given.items():
        if key == "surround":
            read[key] = read_choice(value, SURROUNDS, "theme", key, refusals)
        else:
            read[key] = read_flag(value, key, refusals)
    refusals.raise_if_any()
    return read

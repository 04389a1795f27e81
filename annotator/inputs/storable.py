"""Stop values that a database cannot store, wherever they come from.

PostgreSQL stores neither NUL nor lone surrogates. SQLite stores NUL, but its rows could not be migrated, and
accepts no numbers above 64 bits, even in lookups. Forms and readers report such values if they can name
the field; this catches the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from django.core.exceptions import SuspiciousOperation
from django.db import DataError
from django.db.backends.signals import connection_created

_NO_SUCH_TEXT: Final = frozenset({"22021", "22P05"})
"""PostgreSQL's error codes for unstorable text, which inside JSON only the server detects."""


class UnstorableText(SuspiciousOperation):
    """A statement contained NUL or a lone surrogate; Django responds with 400."""

    def __init__(self) -> None:
        super().__init__("A text contained NUL or a lone surrogate. Nothing was stored.")


class UnstorableNumber(SuspiciousOperation):
    """A statement contained a whole number of more than 64 bits; Django responds with 400."""

    def __init__(self) -> None:
        super().__init__("A number was too large for the database. Nothing was stored.")


def connect() -> None:
    """Guard every database connection of this process."""
    connection_created.connect(_guard_connection, dispatch_uid="anatomark.storable")


def is_storable(text: str) -> bool:
    """Tell whether every database can store a text."""
    try:
        # UTF-8 cannot encode lone surrogates.
        text.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in text


def _guard_connection(connection: Any, **_: Any) -> None:
    if _guard not in connection.execute_wrappers:
        connection.execute_wrappers.insert(0, _guard)


def _guard(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
    if many and not isinstance(params, list | tuple):
        params = list(params)
    for row in params if many else (params,):
        _check(row.values() if isinstance(row, dict) else row or ())
    try:
        return execute(sql, params, many, context)
    except DataError as error:
        if getattr(error.__cause__, "sqlstate", None) in _NO_SUCH_TEXT:
            raise UnstorableText from error
        raise
    except OverflowError as error:
        raise UnstorableNumber from error


def _check(values: Iterable[Any]) -> None:
    for value in values:
        if isinstance(value, str):
            if not is_storable(value):
                raise UnstorableText
        elif isinstance(value, list | tuple):  # a column of a bulk insert
            _check(value)

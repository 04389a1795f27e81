"""Values that no database keeps are stopped before any database, whichever way they came in.

PostgreSQL stores neither NUL nor half a surrogate pair; SQLite takes the first, and its rows could then be
moved nowhere. SQLite takes no number of more than 64 bits, not even to look for it. Forms and readers say
what is wrong where they can name the field; this catches the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from django.core.exceptions import SuspiciousOperation
from django.db import DataError
from django.db.backends.signals import connection_created

_NO_SUCH_TEXT: Final = frozenset({"22021", "22P05"})
"""PostgreSQL's codes for text it cannot keep: inside of JSON only the server finds it."""


class UnstorableText(SuspiciousOperation):
    """A statement was to carry NUL or half a surrogate pair; Django answers the request with 400."""

    def __init__(self) -> None:
        super().__init__("A text held NUL or half a surrogate pair. Nothing was stored.")


class UnstorableNumber(SuspiciousOperation):
    """A statement was to carry a whole number of more than 64 bits; Django answers the request with 400."""

    def __init__(self) -> None:
        super().__init__("A number was larger than a database holds. Nothing was stored.")


def connect() -> None:
    """Guard every connection that this process opens."""
    connection_created.connect(_guard_connection, dispatch_uid="anatomark.storable")


def is_storable(text: str) -> bool:
    """Tell whether every database can keep a text."""
    try:
        # Halves of pairs are just what UTF-8 cannot say.
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
        elif isinstance(value, list | tuple):  # a column of rows that are inserted at once
            _check(value)

"""How many instructions SQLite executes: a measure of what is read that does not vary."""

from __future__ import annotations

from collections.abc import Callable

from django.db import connection


def instructions(act: Callable[[], object], *, analysed: bool = True) -> int:
    """Return how many instructions SQLite executes for this, with statistics of the tables or without.

    PostgreSQL does not count them: there it is 1, whatever happens.
    """
    if connection.vendor != "sqlite":
        act()
        return 1
    if analysed:
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")
    executed: list[None] = []
    connection.connection.set_progress_handler(lambda: executed.append(None), 1)
    try:
        act()
    finally:
        connection.connection.set_progress_handler(None, 1)
    return len(executed)

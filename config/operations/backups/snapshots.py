"""A consistent snapshot of the database while others write."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import DEFAULT_DB_ALIAS, connections, transaction

_COPY = "backup_snapshot"


@contextmanager
def snapshot(folder: Path) -> Iterator[str]:
    """Yield the alias of a consistent snapshot; writers do not wait.

    On PostgreSQL a read-only transaction; on SQLite a copy in `folder`, by SQLite's own backup.
    """
    if connections[DEFAULT_DB_ALIAS].vendor == "postgresql":
        with transaction.atomic():
            with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield DEFAULT_DB_ALIAS
    else:
        with _copied(folder) as alias:
            yield alias


@contextmanager
def _copied(folder: Path) -> Iterator[str]:
    copy = folder / "snapshot.sqlite3"
    source = connections[DEFAULT_DB_ALIAS]
    source.ensure_connection()
    with sqlite3.connect(copy) as into:
        source.connection.backup(into)
    into.close()
    connections.databases[_COPY] = {**source.settings_dict, "NAME": str(copy)}
    try:
        yield _COPY
    finally:
        connections[_COPY].close()
        del connections[_COPY]
        del connections.databases[_COPY]
        for file in folder.glob("snapshot.sqlite3*"):
            file.unlink()

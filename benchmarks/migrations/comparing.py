"""A database before and after its migrations, with readers and writers meanwhile."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.migrations.database import TABLES, Database, empty
from benchmarks.migrations.rows import EARLIER, fill, shared_of


@dataclass(frozen=True)
class Migrated:
    """The process's peak in megabytes, the total seconds, and the longest waits of others."""

    megabytes: float
    seconds: float
    read: float = 0.0
    write: float = 0.0


def migrated(database: Database) -> Migrated:
    """Migrate a database to the latest version while others read and write, if it allows that."""
    statements = {
        "read": "SELECT id, status, position FROM annotator_assignment "
        "WHERE annotator_id = 3 AND batch_id = 4 ORDER BY position LIMIT 20",
        # Update the rows of a submission without changing a value.
        "write": "UPDATE annotator_assignment SET status = status WHERE id = 8",
    }
    waited, over = dict.fromkeys(statements, 0.0), threading.Event()
    beside = [
        threading.Thread(target=_go_on, args=(database, statement, over, _longest(waited, name)))
        for name, statement in statements.items()
        if database.is_postgres
    ]
    for thread in beside:
        thread.start()
    begun = time.perf_counter()
    try:
        megabytes = database.migrate()
    finally:
        seconds = time.perf_counter() - begun
        over.set()
        for thread in beside:
            thread.join()
    return Migrated(megabytes, seconds, **waited)


def _longest(waited: dict[str, float], name: str) -> Callable[[float], None]:
    def keep(seconds: float) -> None:
        waited[name] = max(waited[name], seconds)

    return keep


def _go_on(database: Database, statement: str, over: threading.Event, keep: Callable[[float], None]) -> None:
    with database.connection() as held:
        while not over.is_set():
            begun = time.perf_counter()
            held.execute(statement)
            keep(time.perf_counter() - begun)
            time.sleep(0.005)


def checked(kind: str, count: int) -> Migrated:
    """Fill a database, migrate it, and compare it; raises AssertionError naming the tables that differ."""
    with empty(kind) as database:
        database.migrate("annotator", EARLIER)
        fill(database, count)
        columns = database.columns()
        before = database.digests(columns)
        found = migrated(database)
        after = database.digests(columns)
        if different := [table for table in TABLES if after[table] != before[table]]:
            raise AssertionError(f"{kind}: not as before: {', '.join(different)}")
        drawn: dict[str, int] = dict(
            database.rows("SELECT drawn, COUNT(*) FROM annotator_assignment GROUP BY drawn")
        )
        shared = shared_of(count)
        if drawn != {"random": shared, "single": count - shared}:
            raise AssertionError(f"{kind}: {drawn}, where {shared} of {count} are shared")
        return found

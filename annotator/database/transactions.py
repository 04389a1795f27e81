"""One way to write: fair on SQLite, plain on PostgreSQL."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction

# SQLite's own waiting is unfair: under load one thread in eight waits for hundreds of milliseconds.
# Queuing inside the process first makes it first come, first served.
_SQLITE_TURN = threading.RLock()


@contextmanager
def write_transaction() -> Iterator[None]:
    """Run the block in a transaction; nests, and never holds network or file work on SQLite."""
    if connection.vendor == "sqlite":
        with _SQLITE_TURN, transaction.atomic():
            yield
    else:
        with transaction.atomic():
            yield

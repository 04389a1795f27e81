"""Write transactions, queued fairly on SQLite."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction

# SQLite's own waiting is unfair: under load one thread in eight waits for hundreds of milliseconds. A lock
# inside the process queues threads in order.
_SQLITE_TURN = threading.RLock()


@contextmanager
def write_transaction() -> Iterator[None]:
    """Run the block in a transaction; may be nested. Keep network and file work out of it on SQLite."""
    if connection.vendor == "sqlite":
        with _SQLITE_TURN, transaction.atomic():
            yield
    else:
        with transaction.atomic():
            yield

"""Empties the tables of PostgreSQL after a case with real transactions by deleting its few rows.

Django truncates every table, and a truncated table and each of its indexes gets a new file: most of the time
that such a case took. Deleting takes milliseconds, because a case stores a few hundred rows at most.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest


@contextmanager
def emptied_by_deleting() -> Iterator[None]:
    """Replace what Django empties PostgreSQL with; sequences are restarted by Django's own statement."""
    from django.db.backends.postgresql.operations import DatabaseOperations

    truncating = DatabaseOperations.sql_flush

    def sql_flush(
        self: DatabaseOperations,
        style: Any,
        tables: Sequence[str],
        *,
        reset_sequences: bool = False,
        allow_cascade: bool = False,
    ) -> list[str]:
        if reset_sequences or not tables:
            return truncating(
                self, style, tables, reset_sequences=reset_sequences, allow_cascade=allow_cascade
            )
        deletions = [f"DELETE FROM {self.quote_name(table)}" for table in tables]
        # Neither foreign keys nor the triggers that keep rows from being deleted apply to a replica.
        return ["SET LOCAL session_replication_role = replica", *deletions]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(DatabaseOperations, "sql_flush", sql_flush)
        yield

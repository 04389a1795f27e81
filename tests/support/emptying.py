"""Empties the tables after a case with real transactions quickly.

Django truncates every table of PostgreSQL, and a truncated table and each of its indexes gets a new file.
Deleting takes milliseconds, because a case stores a few hundred rows at most. On both databases, Django then
stores a row for each model and permission again; here those rows stay.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.core.management.commands import flush
from django.db.backends.base.base import BaseDatabaseWrapper

STAYING = frozenset({"django_content_type", "auth_permission"})
"""What Django stores after migrations. No case changes them."""


@contextmanager
def emptied_by_deleting() -> Iterator[None]:
    """Replace what Django empties a database with; sequences are restarted by Django's own statements."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(flush, "sql_flush", _sql_flush)
        patched.setattr(flush, "emit_post_migrate_signal", lambda *_, **__: None)
        yield


def _sql_flush(
    style: Any, connection: BaseDatabaseWrapper, reset_sequences: bool = True, allow_cascade: bool = False
) -> list[str]:
    there = connection.introspection.django_table_names(only_existing=True, include_views=False)
    tables = [table for table in there if table not in STAYING]
    if reset_sequences or connection.vendor != "postgresql":
        return connection.ops.sql_flush(
            style, tables, reset_sequences=reset_sequences, allow_cascade=allow_cascade
        )
    deletions = [f"DELETE FROM {connection.ops.quote_name(table)}" for table in tables]
    # Neither foreign keys nor the triggers that keep rows from being deleted apply to a replica.
    return ["SET LOCAL session_replication_role = replica", *deletions]

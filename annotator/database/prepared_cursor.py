"""The cursor for prepared queries on PostgreSQL; imported only there."""

from __future__ import annotations

from typing import Any

from psycopg import Cursor


class PreparingCursor(Cursor[Any]):
    """Prepare every statement from its first execution, with separate values."""

    def execute(self, query: Any, params: Any = None, **_: Any) -> Any:
        """Execute a prepared statement."""
        return super().execute(query, params, prepare=True)

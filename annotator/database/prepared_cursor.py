"""The cursor of prepared queries on PostgreSQL; imported there only."""

from __future__ import annotations

from typing import Any

from psycopg import Cursor


class PreparingCursor(Cursor[Any]):
    """Has every statement prepared from its first time on, and sends values apart from it."""

    def execute(self, query: Any, params: Any = None, **_: Any) -> Any:
        """Carry out a statement as a prepared one."""
        return super().execute(query, params, prepare=True)

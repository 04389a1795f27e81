"""Queries whose SQL is made once: for the few that every next image asks again.

Django builds and compiles a query anew each time, which for these costs many times what the database needs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from django.db import connection
from django.db.models import QuerySet

# Within the range of every integer column, and no value that a query says by itself.
_FIRST_STAND_IN: Final = 2_000_000_011


class Prepared:
    """A query over whole numbers that differ from call to call; all else in it stays the same.

    `build` makes the queryset, a `values_list` of whole numbers, from as many numbers as a call gives.
    """

    def __init__(self, build: Callable[..., QuerySet[Any, Any]]) -> None:
        self._build = build
        self._made: dict[tuple[str, int], tuple[str, tuple[Any, ...]]] = {}

    def rows(self, *values: int) -> list[tuple[Any, ...]]:
        """Run the query with these numbers and return its rows."""
        key = (connection.vendor, len(values))
        if key not in self._made:
            self._made[key] = self._compiled(len(values))
        statement, parameters = self._made[key]
        with connection.cursor() as cursor:
            cursor.execute(statement, [values[each] if type(each) is _Slot else each for each in parameters])
            found: list[tuple[Any, ...]] = cursor.fetchall()
        return found

    def _compiled(self, count: int) -> tuple[str, tuple[Any, ...]]:
        stand_ins = {_FIRST_STAND_IN + place: _Slot(place) for place in range(count)}
        statement, parameters = self._build(*stand_ins).query.sql_with_params()
        filled = tuple(stand_ins.get(each, each) for each in parameters)
        missing = set(stand_ins.values()) - {each for each in filled if type(each) is _Slot}
        if missing:
            raise ValueError(f"numbers {sorted(missing)} of a prepared query appear nowhere in its SQL")
        return statement, filled


class _Slot(int):
    """Where in the SQL the number of this place belongs."""

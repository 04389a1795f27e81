"""Queries whose SQL is made once: for the few that every next image asks again.

Django builds and compiles a query anew each time, which for these costs many times what the database needs.
PostgreSQL keeps their plans too, by connection: planning costs it more than carrying them out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Generic, TypeVar

from django.db import DEFAULT_DB_ALIAS, connection
from django.db.models import Model, QuerySet
from django.db.models.query import get_related_populators
from django.db.models.sql.compiler import SQLCompiler

Kind = TypeVar("Kind", bound=Model)
Statement = tuple[str, tuple[Any, ...]]

# Within the range of every integer column, and no value that a query says by itself.
_FIRST_STAND_IN: Final = 2_000_000_011


class Prepared:
    """A query over whole numbers that differ from call to call; all else in it stays the same.

    `build` makes the queryset, a `values_list` of columns that come as the database has them, from as many
    numbers as a call gives. `ends` is put at the end of its SQL.
    """

    def __init__(self, build: Callable[..., QuerySet[Any, Any]], ends: str = "") -> None:
        self._build, self._ends = build, ends
        self._made: dict[tuple[str, int], Statement] = {}

    def rows(self, *values: int) -> list[tuple[Any, ...]]:
        """Run the query with these numbers and return its rows."""
        key = (connection.vendor, len(values))
        if key not in self._made:
            statement, parameters = _compiled(self._build, len(values))[1]
            self._made[key] = f"{statement} {self._ends}".rstrip(), parameters
        return _fetched(self._made[key], values)


class PreparedObjects(Generic[Kind]):
    """As `Prepared`, for whole objects, with those that `select_related` brings along."""

    def __init__(self, build: Callable[..., QuerySet[Kind]]) -> None:
        self._build = build
        self._made: dict[tuple[str, int], tuple[_Maker, Statement]] = {}

    def first(self, *values: int) -> Kind | None:
        """Run the query with these numbers and return its first object, None where there is none."""
        key = (connection.vendor, len(values))
        if key not in self._made:
            compiler, statement = _compiled(self._build, len(values))
            self._made[key] = _Maker(compiler), statement
        maker, statement = self._made[key]
        rows = _fetched(statement, values)
        return maker.made(rows[0]) if rows else None


class _Maker:
    """Makes objects of rows, as Django's own iteration over a queryset does."""

    def __init__(self, compiler: SQLCompiler) -> None:
        assert compiler.klass_info is not None
        info: Any = compiler.klass_info
        select: Any = compiler.select
        places = info["select_fields"]
        self._compiler, self._model = compiler, info["model"]
        self._own = slice(places[0], places[-1] + 1)
        self._names = [column[0].target.attname for column in select[self._own]]
        # The stubs are those of another Django, which wants one argument more.
        populators: Any = get_related_populators
        self._related = populators(info, select, DEFAULT_DB_ALIAS)
        self._converters = compiler.get_converters([column[0] for column in select])

    def made(self, row: tuple[Any, ...]) -> Any:
        if self._converters:
            [converted] = self._compiler.apply_converters([row], self._converters)
            row = tuple(converted)
        made = self._model.from_db(DEFAULT_DB_ALIAS, self._names, row[self._own])
        for related in self._related:
            related.populate(row, made)
        return made


def _fetched(statement: Statement, values: tuple[int, ...]) -> list[tuple[Any, ...]]:
    text, parameters = statement
    with _cursor() as cursor:
        cursor.execute(text, [int(values[each]) if type(each) is _Slot else each for each in parameters])
        found: list[tuple[Any, ...]] = cursor.fetchall()
    return found


def _cursor() -> Any:
    """Return a cursor whose statements PostgreSQL prepares, where it may; a log wants them whole."""
    cursor = connection.cursor()
    prepares: bool = connection.settings_dict["OPTIONS"].get("prepare_threshold") is not None
    if prepares and not connection.queries_logged:
        from annotator.prepared_cursor import PreparingCursor

        cursor.cursor = PreparingCursor(connection.connection)
    return cursor


def _compiled(build: Callable[..., QuerySet[Any, Any]], count: int) -> tuple[SQLCompiler, Statement]:
    stand_ins = {_FIRST_STAND_IN + place: _Slot(place) for place in range(count)}
    compiler = build(*stand_ins).query.get_compiler(DEFAULT_DB_ALIAS)
    statement, parameters = compiler.as_sql()
    filled = tuple(stand_ins.get(each, each) for each in parameters)
    missing = set(stand_ins.values()) - {each for each in filled if type(each) is _Slot}
    if missing:
        raise ValueError(f"numbers {sorted(missing)} of a prepared query appear nowhere in its SQL")
    return compiler, (statement, filled)


class _Slot(int):
    """Where in the SQL the number of this place belongs."""

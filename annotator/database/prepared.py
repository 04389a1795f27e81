"""Queries whose SQL is compiled once, for the few that run with every image.

Django compiles a query every time, which for these takes many times longer than the database. PostgreSQL also
keeps their plans per connection, because planning them takes longer than executing them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, Generic, TypeVar
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.models import Model, QuerySet
from django.db.models.query import get_related_populators
from django.db.models.sql.compiler import SQLCompiler

Kind = TypeVar("Kind", bound=Model)
Value = int | str | UUID
Statement = tuple[str, tuple[Any, ...]]
_Key = tuple[str, tuple[type, ...]]

# Within the range of every integer column, and not a value that occurs in a query.
_FIRST_STAND_IN: Final = 2_000_000_011


class Prepared:
    """A query whose values change from call to call, and nothing else.

    `build` makes the queryset, a `values_list` of unconverted columns, from the values of a call: whole
    numbers, texts and UUIDs, which it may only compare. `ends` is appended to its SQL.
    """

    def __init__(self, build: Callable[..., QuerySet[Any, Any]], ends: str = "") -> None:
        self._build, self._ends = build, ends
        self._made: dict[_Key, Statement] = {}

    def rows(self, *values: Value) -> list[tuple[Any, ...]]:
        """Run the query with these values and return its rows."""
        key = _key(values)
        if key not in self._made:
            statement, parameters = _compiled(self._build, key[1])[1]
            self._made[key] = f"{statement} {self._ends}".rstrip(), parameters
        return _fetched(self._made[key], values)


class PreparedObjects(Generic[Kind]):
    """Like `Prepared`, for whole objects, including those from `select_related`."""

    def __init__(self, build: Callable[..., QuerySet[Kind]]) -> None:
        self._build = build
        self._made: dict[_Key, tuple[_Maker, Statement]] = {}

    def all(self, *values: Value) -> list[Kind]:
        """Run the query with these values and return its objects."""
        key = _key(values)
        if key not in self._made:
            compiler, statement = _compiled(self._build, key[1])
            self._made[key] = _Maker(compiler), statement
        maker, statement = self._made[key]
        return [maker.made(row) for row in _fetched(statement, values)]

    def first(self, *values: Value) -> Kind | None:
        """Run the query with these values and return its first object, if any."""
        found = self.all(*values)
        return found[0] if found else None


class _Maker:
    """Make objects from rows, as Django's iteration over a queryset does."""

    def __init__(self, compiler: SQLCompiler) -> None:
        assert compiler.klass_info is not None
        info: Any = compiler.klass_info
        select: Any = compiler.select
        places = info["select_fields"]
        self._compiler, self._model = compiler, info["model"]
        self._own = slice(places[0], places[-1] + 1)
        self._names = [column[0].target.attname for column in select[self._own]]
        # The stubs are for another version of Django, with one more argument.
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


@dataclass(frozen=True)
class _Slot:
    """The placeholder of the value at `place`; `as_hex` if the database stores UUIDs as text."""

    place: int
    as_hex: bool = False

    def of(self, values: tuple[Value, ...]) -> Value:
        value = values[self.place]
        return value.hex if self.as_hex and isinstance(value, UUID) else value


def _key(values: tuple[Value, ...]) -> _Key:
    return connection.vendor, tuple(map(type, values))


def _fetched(statement: Statement, values: tuple[Value, ...]) -> list[tuple[Any, ...]]:
    text, parameters = statement
    with preparing_cursor() as cursor:
        cursor.execute(text, [each.of(values) if type(each) is _Slot else each for each in parameters])
        found: list[tuple[Any, ...]] = cursor.fetchall()
    return found


def preparing_cursor() -> Any:
    """Return a cursor that prepares statements on PostgreSQL, unless queries are logged."""
    database: Any = connections[DEFAULT_DB_ALIAS]
    prepares = database.settings_dict["OPTIONS"].get("prepare_threshold") is not None
    if not prepares or database.queries_logged:
        return database.cursor()
    # Without the cursor that Django would make first, as long as these statements themselves take.
    database.ensure_connection()
    return database.make_cursor(_preparing()(database.connection))


@cache
def _preparing() -> Any:
    # psycopg loads only with PostgreSQL.
    from psycopg import Cursor

    class PreparingCursor(Cursor[Any]):
        def execute(self, query: Any, params: Any = None, **_: Any) -> Any:
            return super().execute(query, params, prepare=True)

    return PreparingCursor


def _compiled(
    build: Callable[..., QuerySet[Any, Any]], kinds: tuple[type, ...]
) -> tuple[SQLCompiler, Statement]:
    stand_ins = [_stand_in(kind, place) for place, kind in enumerate(kinds)]
    compiler = build(*stand_ins).query.get_compiler(DEFAULT_DB_ALIAS)
    statement, parameters = compiler.as_sql()
    slots: dict[Value, _Slot] = {}
    for place, each in enumerate(stand_ins):
        slots[each] = _Slot(place)
        if isinstance(each, UUID):
            slots[each.hex] = _Slot(place, as_hex=True)
    filled = tuple(slots.get(each, each) for each in parameters)
    missing = set(range(len(kinds))) - {each.place for each in filled if type(each) is _Slot}
    if missing:
        raise ValueError(f"values {sorted(missing)} of a prepared query appear nowhere in its SQL")
    return compiler, (statement, filled)


def _stand_in(kind: type, place: int) -> Value:
    number = _FIRST_STAND_IN + place
    if issubclass(kind, int):
        return number
    return UUID(int=number) if issubclass(kind, UUID) else f"value {number} of a prepared query"

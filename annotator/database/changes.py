"""Changes of several tables in one statement where the database can, without compiling queries.

The SQL consists of names of models and columns, and of conditions written in the code.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from django.db import connection
from django.db.models import Model

from annotator.database.prepared import preparing_cursor

_AT_ONCE: Final = 100


class Change(NamedTuple):
    """An INSERT or UPDATE. `condition` ends its SQL."""

    sql: str
    values: list[Any]
    condition: str = ""


def insert(*rows: Model) -> Change:
    """Return the INSERT of unsaved rows of one model, all columns; the database makes their primary keys."""
    meta = rows[0]._meta
    fields = [field for field in meta.concrete_fields if not field.primary_key]
    values = [_stored(field, field.pre_save(row, add=True)) for row in rows for field in fields]
    places = ", ".join([f"({', '.join(['%s'] * len(fields))})"] * len(rows))
    return Change(f"INSERT INTO {meta.db_table} ({_names(fields, ', ')}) VALUES {places}", values)  # noqa: S608


def update(model: type[Model], new: Mapping[str, Any], condition: str, *values: Any) -> Change:
    """Return the UPDATE of the rows for which a condition in SQL holds; `values` are its parameters."""
    fields = [model._meta.get_field(name) for name in new]
    stored = [_stored(field, value) for field, value in zip(fields, new.values(), strict=True)]
    sets = f"UPDATE {model._meta.db_table} SET {_names(fields, ' = %s, ')} = %s"  # noqa: S608
    return Change(sets, [*stored, *values], f" WHERE {condition}")


def upsert(rows: Sequence[Model], unique: Sequence[str], new: Sequence[str]) -> Change:
    """Return the INSERT of rows that updates the fields `new` of those whose `unique` fields are there."""
    columns = {field.name: str(field.column) for field in rows[0]._meta.concrete_fields}
    key = ", ".join(columns[name] for name in unique)
    sets = ", ".join(f"{columns[name]} = EXCLUDED.{columns[name]}" for name in new)
    sql, values, _ = insert(*rows)
    return Change(f"{sql} ON CONFLICT ({key}) DO UPDATE SET {sets}", values)


def put(rows: Sequence[Model], unique: Sequence[str], new: Sequence[str]) -> None:
    """Make an `upsert` of any number of rows; not prepared, because every number is another statement."""
    for start in range(0, len(rows), _AT_ONCE):
        made = upsert(rows[start : start + _AT_ONCE], unique, new)
        with connection.cursor() as cursor:
            cursor.execute(made.sql, made.values)


def make(first: Change, *others: Change) -> int | None:
    """Make changes in the caller's transaction; return the id of the row that the first one has written.

    None if it has written none; the others may be made or not, so the caller must roll back. On PostgreSQL
    it is one statement, in which the first row is locked before any other is updated. Raises IntegrityError.
    """
    sql = f"{first.sql}{first.condition} RETURNING id"
    if connection.vendor == "postgresql" and others:
        after = [f"{sql}{where and f'{where} AND EXISTS (SELECT FROM c0)'}" for sql, _, where in others]
        named = ", ".join(f"c{place} AS ({each})" for place, each in enumerate((sql, *after)))
        values = [value for change in (first, *others) for value in change.values]
        return _written(f"WITH {named} SELECT id FROM c0", values)  # noqa: S608
    written = _written(sql, first.values)
    if written is not None:
        with connection.cursor() as cursor:
            for statement, values, condition in others:
                cursor.execute(f"{statement}{condition}", values)
    return written


def _written(sql: str, values: list[Any]) -> int | None:
    with preparing_cursor() as cursor:
        cursor.execute(sql, values)
        found: list[tuple[int]] = cursor.fetchall()
    return found[0][0] if found else None


def _stored(field: Any, value: Any) -> Any:
    return field.get_db_prep_save(value, connection)


def _names(fields: list[Any], between: str) -> str:
    return between.join(field.column for field in fields)

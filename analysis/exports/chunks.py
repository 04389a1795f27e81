"""Answers in chunks, as the database holds them.

Which answers is found out at the start, what they say when their chunk comes: one that is no longer what was
asked for is left out. Every query is read to its end: one that is still open holds a snapshot on SQLite, and
after anybody else's writing nothing can be stored over that connection.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from functools import cache
from json import JSONDecoder
from typing import Any, Final

from django.db.models import Expression, QuerySet, TextField, Value
from django.db.models.functions import Cast, Coalesce

from annotator.database.prepared import Prepared
from annotator.models import Annotation

CHUNK: Final = 500
_AT_ONCE: Final = 5000
# Reading a few rows too many costs less than naming each one.
_SPREAD: Final = 2

decoded: Final = JSONDecoder().decode

Fields = tuple[str | Expression, ...]
Row = tuple[Any, ...]


class _AsText(Cast):
    """JSON as the text it is stored as: SQLite has no other."""

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        """Take the column as it is."""
        return self.as_sql(compiler, connection, template="%(expressions)s", **context)


# Decoded where it is needed, and no converter of Django's stands between the database and the row.
PAYLOAD: Final = _AsText("payload", TextField())
RATINGS: Final = _AsText("ratings", TextField())
SOURCE: Final = _AsText("source", TextField())
SUBMITTED_AT: Final = Cast("submitted_at", TextField())


def chosen(found: QuerySet[Annotation], order: tuple[str, ...] = ("pk",)) -> array[int]:
    """Return answers by primary key, in an order.

    A database that sorts sorts whole rows, payloads included; numbers alone are small.
    """
    query = found.order_by(*order).values_list("pk", flat=True).query
    numbers = array("q")
    # The rows as they come: one after the other through the iterator of the query takes three times as long.
    for rows in query.get_compiler(found.db).execute_sql(chunked_fetch=True, chunk_size=_AT_ONCE):
        numbers.extend([row[0] for row in rows])
    return numbers


def read_chunks(numbers: array[int], fields: Fields, *, drafts: bool) -> Iterator[list[Row]]:
    """Yield rows of primary key and `fields` of the answers in `numbers`, a chunk after the other.

    Rows of one chunk come in the order of their primary keys.
    """
    for start in range(0, len(numbers), CHUNK):
        yield _rows(numbers[start : start + CHUNK], fields, drafts)


def _rows(chunk: array[int], fields: Fields, drafts: bool) -> list[Row]:
    first, last = min(chunk), max(chunk)
    if last - first >= _SPREAD * len(chunk):
        return list(_query(fields, drafts).filter(pk__in=list(chunk)))
    rows = _between(fields, drafts).rows(first, last)
    if last - first + 1 == len(chunk):
        return rows
    wanted = set(chunk)
    return [row for row in rows if row[0] in wanted]


@cache
def _between(fields: Fields, drafts: bool) -> Prepared:
    return Prepared(lambda first, last: _query(fields, drafts).filter(pk__range=(first, last)))


def _query(fields: Fields, drafts: bool) -> Any:
    query = Annotation.objects.order_by("pk").values_list("pk", *fields)
    # Said so that no index of states is preferred to the few rows in question.
    state = Coalesce("status", Value(""))
    return query if drafts else query.alias(state=state).filter(state=Annotation.Status.SUBMITTED)


def utc(written: str | None) -> str:
    """Return a moment that the database wrote as text, as `2026-03-01T09:30:00Z`; empty if there is none."""
    return f"{written[:10]}T{written[11:19]}Z" if written else ""

"""Annotations read from the database in chunks, each with image and annotator as separate values.

The ids are selected at the start, the content with each chunk; annotations that no longer match are left
out. Every query is read to its end: on SQLite an open one holds a snapshot, and after any other write that
connection cannot store anything.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from typing import Any, Final, NamedTuple

import orjson
from django.db.models import Expression, QuerySet, TextField, Value
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast, Coalesce

from annotator.database.prepared import Prepared
from annotator.models import Annotation

CHUNK: Final = 500
_AT_ONCE: Final = 5000
# Reading a few extra rows costs less than listing ids.
_SPREAD: Final = 2

decoded: Final = orjson.loads

Fields = tuple[str | Expression, ...]
Row = tuple[Any, ...]


class _AsText(Cast):
    """JSON as its stored text."""

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        """Use the column unchanged, because SQLite stores JSON as text."""
        return self.as_sql(compiler, connection, template="%(expressions)s", **context)


# Decoded only if needed, without Django's converters.
PAYLOAD: Final = _AsText("payload", TextField())
RATINGS: Final = _AsText("ratings", TextField())
SOURCE: Final = _AsText("source", TextField())
TAGS: Final = KeyTextTransform("tags", "payload")
ATTRIBUTES: Final = _AsText("assignment__image__attributes", TextField())
SUBMITTED_AT: Final = Cast("submitted_at", TextField())


def chosen(found: QuerySet[Annotation], order: tuple[str, ...] = ("pk",)) -> array[int]:
    """Return the primary keys of annotations in an order.

    Databases sort whole rows including payloads, so select only the keys.
    """
    query = found.order_by(*order).values_list("pk", flat=True).query
    numbers = array("q")
    # Fetch directly, because the query's iterator takes three times as long.
    for rows in query.get_compiler(found.db).execute_sql(chunked_fetch=True, chunk_size=_AT_ONCE):
        numbers.extend([row[0] for row in rows])
    return numbers


def read_chunks(numbers: array[int], fields: Fields) -> Iterator[list[Row]]:
    """Yield rows of primary key and `fields` of the annotations in `numbers`, chunk by chunk.

    Rows of a chunk are ordered by primary key.
    """
    for start in range(0, len(numbers), CHUNK):
        yield _rows(numbers[start : start + CHUNK], fields)


def _rows(chunk: array[int], fields: Fields) -> list[Row]:
    first, last = min(chunk), max(chunk)
    if last - first >= _SPREAD * len(chunk):
        return list(_query(fields).filter(pk__in=list(chunk)))
    rows = _between(fields).rows(first, last)
    if last - first + 1 == len(chunk):
        return rows
    wanted = set(chunk)
    return [row for row in rows if row[0] in wanted]


@cache
def _between(fields: Fields) -> Prepared:
    return Prepared(lambda first, last: _query(fields).filter(pk__range=(first, last)))


def _query(fields: Fields) -> Any:
    # Phrased so that the database does not prefer the index of statuses.
    found = Annotation.objects.alias(state=Coalesce("status", Value("")))
    return found.filter(state=Annotation.Status.SUBMITTED).order_by("pk").values_list("pk", *fields)


def utc(written: str | None) -> str:
    """Convert the database's text of a time to `2026-03-01T09:30:00Z`; empty if there is none."""
    return f"{written[:10]}T{written[11:19]}Z" if written else ""


class AnnotationRow(NamedTuple):
    """One annotation; `said` is its payload, or what the layout reads instead.

    `image_id` is the Image Id, as `image_ids` gives it; `source` is the row it was imported from, if any;
    `submitted_at` is formatted text, `tags` are the numbers of the tags ticked, `attributes` is JSON.
    """

    pk: int
    image_id: str
    status: str
    image: int
    generator: str
    prompt: str
    prompt_group: str
    number: int | None
    sha256: str
    batch: str
    annotator: str
    drawn: str
    guideline: str | None
    attributes: str
    said: Any
    source: Mapping[str, Any] | None
    submitted_at: str
    tags: Collection[int]


IMAGE, BATCH = "assignment__image__", "assignment__batch__"
_FIELDS: Final = (
    "status",
    "assignment__image_id",
    f"{IMAGE}generator",
    f"{IMAGE}prompt",
    f"{IMAGE}prompt_group",
    f"{IMAGE}number",
    f"{IMAGE}sha256",
    f"{BATCH}name",
    "assignment__annotator__code",
    "assignment__drawn",
    "guideline",
    ATTRIBUTES,
)


def annotation_rows(
    numbers: array[int], ids: Mapping[int, str], said: Expression = PAYLOAD
) -> Iterator[AnnotationRow]:
    """Yield these annotations in order.

    `ids` are the Image Ids of the project; `said` is the expression to read of each, which gives JSON as
    text.
    """
    fields = (*_FIELDS, said, SOURCE, SUBMITTED_AT, TAGS)
    for start, rows in enumerate(read_chunks(numbers, fields)):
        by_number = {row[0]: row for row in rows}
        for number in numbers[start * CHUNK : (start + 1) * CHUNK]:
            if row := by_number.get(number):
                pk, status, image, *plain, answer, source, submitted_at, tags = row
                taken_apart = (decoded(answer), source and decoded(source), utc(submitted_at))
                ticked = decoded(tags) if tags else ()
                yield AnnotationRow._make((pk, ids[image], status, image, *plain, *taken_apart, ticked))

"""Annotations read from the database in chunks, each with image and annotator as separate values.

The ids are selected at the start, the content with each chunk; rows that no longer match are left out. Every
query is read to its end: on SQLite an open one holds a snapshot, and after any other write that connection
cannot store anything.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final, NamedTuple

import orjson
from django.db.models import Expression, QuerySet, TextField
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast

from annotator.models import Annotation

CHUNK: Final = 500

decoded: Final = orjson.loads


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


def in_chunks(rows: QuerySet[Any], *fields: str | Expression) -> Iterator[tuple[Any, ...]]:
    """Yield fields of rows in query order, with one chunk in memory at a time."""
    numbers = array("q", rows.values_list("pk", flat=True).iterator(chunk_size=CHUNK))
    for start in range(0, len(numbers), CHUNK):
        chunk = numbers[start : start + CHUNK]
        held = rows.order_by().filter(pk__in=list(chunk)).values_list("pk", *fields)
        found = {row[0]: row[1:] for row in held}
        yield from (found[number] for number in chunk if number in found)


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
    found: QuerySet[Annotation], ids: Mapping[int, str], said: Expression = PAYLOAD
) -> Iterator[AnnotationRow]:
    """Yield these annotations in order.

    `ids` are the Image Ids of the project; `said` is the expression to read of each, which gives JSON as
    text.
    """
    for row in in_chunks(found, "pk", *_FIELDS, said, SOURCE, SUBMITTED_AT, TAGS):
        pk, status, image, *plain, answer, source, submitted_at, tags = row
        taken_apart = (decoded(answer), source and decoded(source), utc(submitted_at))
        ticked = decoded(tags) if tags else ()
        yield AnnotationRow._make((pk, ids[image], status, image, *plain, *taken_apart, ticked))

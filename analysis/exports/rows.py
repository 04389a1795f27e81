"""One annotation with image and annotator as separate values."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final, NamedTuple

from django.db.models import Expression

from analysis.exports.chunks import (
    ATTRIBUTES,
    CHUNK,
    PAYLOAD,
    SOURCE,
    SUBMITTED_AT,
    TAGS,
    decoded,
    read_chunks,
    utc,
)


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
    numbers: array[int], ids: Mapping[int, str], *, drafts: bool, said: Expression = PAYLOAD
) -> Iterator[AnnotationRow]:
    """Yield these annotations in order, without drafts unless `drafts`.

    `ids` are the Image Ids of the project; `said` is the expression to read of each, which gives JSON as
    text.
    """
    fields = (*_FIELDS, said, SOURCE, SUBMITTED_AT, TAGS)
    for start, rows in enumerate(read_chunks(numbers, fields, drafts=drafts)):
        by_number = {row[0]: row for row in rows}
        for number in numbers[start * CHUNK : (start + 1) * CHUNK]:
            if row := by_number.get(number):
                pk, status, image, *plain, answer, source, submitted_at, tags = row
                taken_apart = (decoded(answer), source and decoded(source), utc(submitted_at))
                ticked = decoded(tags) if tags else ()
                yield AnnotationRow._make((pk, ids[image], status, image, *plain, *taken_apart, ticked))

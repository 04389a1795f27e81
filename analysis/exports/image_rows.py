"""Images with their annotations: which ones make a row, and how its value is derived."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby
from operator import attrgetter
from typing import Final, TypeVar

from django.db.models import Expression

from analysis.data.counting import ANSWERED_AGAIN, NOTHING_READ
from analysis.exports.columns import Line, Value
from analysis.exports.rows import AnnotationRow
from analysis.exports.shared_columns import attribute_values, image_values
from analysis.exports.source import ExportSource
from scoring.protocol import Payload

SINGLE, MEAN, ADJUDICATED, UNREAD = "single", "mean", "adjudicated", "unread"
_ORDER: Final = ("assignment__image_id", "assignment__annotator_id", "submitted_at", "pk")
_BETWEEN_NAMES: Final = "; "

IsRead = Callable[[AnnotationRow], bool]
Numbers = TypeVar("Numbers")


def judged(
    reading: ExportSource, is_read: IsRead, said: Expression
) -> Iterator[tuple[AnnotationRow, list[AnnotationRow]]]:
    """Yield each image by one annotation, with those that count: each annotator's latest readable one.

    If none is readable, none counts.
    """
    unread = again = 0
    for _, found in groupby(reading.rows(_ORDER, said), key=attrgetter("image")):
        rows = list(found)
        read = [row for row in rows if is_read(row)]
        latest = read if len(read) == 1 else list({row.annotator: row for row in read}.values())
        unread += len(rows) - len(read)
        again += len(read) - len(latest)
        first = rows[0].annotator
        yield next((row for row in latest if row.annotator == first), rows[0]), latest
    reading.not_counted.update({NOTHING_READ: unread, ANSWERED_AGAIN: again})


def image_lines(
    reading: ExportSource,
    is_read: IsRead,
    said: Expression,
    of_answer: Callable[[AnnotationRow], Numbers],
    of_adjudicated: Callable[[AnnotationRow, Payload], Numbers],
    written: Callable[[list[Numbers]], list[Value]],
) -> Iterator[Line]:
    """Yield the images that have annotations: the adjudicated value, or the mean of the latest annotations.

    An image without readable annotations has no numbers. An adjudicated value replaces the mean, regardless
    of filters. `written` converts the numbers that count, one per annotator, to the values in the file.
    """
    text = reading.dialect.text
    decided = reading.decided()
    for row, counted in judged(reading, is_read, said):
        value = decided.get(row.image)
        found = [of_answer(one) for one in counted] if value is None else [of_adjudicated(row, value)]
        yield [
            *image_values(row, reading),
            text(row.prompt_group),
            row.sha256,
            *written(found),
            *judged_values(counted, reading, adjudicated=value is not None),
            *attribute_values(row, reading),
        ]


def judged_values(rows: list[AnnotationRow], reading: ExportSource, *, adjudicated: bool) -> list[str | int]:
    """Return the values of JUDGED_COLUMNS for the annotations that count."""
    alone = SINGLE if rows else UNREAD
    names = sorted(reading.name(row.annotator) for row in rows)
    return [
        ADJUDICATED if adjudicated else MEAN if len(rows) > 1 else alone,
        len(rows),
        reading.dialect.text(_BETWEEN_NAMES.join(names)),
    ]

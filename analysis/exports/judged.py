"""An image with everybody who judged it: whose answers make its row, and how its value came about."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby
from operator import attrgetter
from typing import Final

from django.db.models import Expression

from analysis.counting import ANSWERED_AGAIN, NOTHING_READ
from analysis.exports.chunks import PAYLOAD
from analysis.exports.columns import Column, Kind
from analysis.exports.reading import Reading
from analysis.exports.rows import AnswerRow

SINGLE, MEAN, ADJUDICATED, UNREAD = "single", "mean", "adjudicated", "unread"
JUDGED_COLUMNS: Final = (Column("value"), Column("annotations", Kind.INTEGER), Column("annotators"))
_ORDER: Final = ("assignment__image_id", "assignment__annotator_id", "submitted_at", "pk")
_BETWEEN_NAMES: Final = "; "

IsRead = Callable[[AnswerRow], bool]


def judged(
    reading: Reading, is_read: IsRead, said: Expression = PAYLOAD
) -> Iterator[tuple[AnswerRow, list[AnswerRow]]]:
    """Yield each image by one of its answers, with those that count: everybody's latest that was read.

    Of an image of which nobody's answer could be read none counts.
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


def judged_values(rows: list[AnswerRow], reading: Reading, *, adjudicated: bool) -> list[str | int]:
    """Return what stands under JUDGED_COLUMNS of the answers that count."""
    alone = SINGLE if rows else UNREAD
    names = sorted(reading.name(row.annotator) for row in rows)
    return [
        ADJUDICATED if adjudicated else MEAN if len(rows) > 1 else alone,
        len(rows),
        reading.dialect.text(_BETWEEN_NAMES.join(names)),
    ]

"""One line per image: what was settled for it, or what its judges say on average."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from operator import attrgetter
from typing import Any

from analysis.datasets import settled
from analysis.exports.columns import Column, Kind, Line, columns
from analysis.exports.reading import Reading
from analysis.exports.rows import AnswerRow
from analysis.exports.scores import summed
from analysis.exports.shared import IMAGE_COLUMNS, SCORE_COLUMNS, image_values
from analysis.exports.sums import Sums
from annotator.unread import says_nothing

IMAGES_COLUMNS = (
    *IMAGE_COLUMNS,
    *columns(Kind.TEXT, "prompt_group", "sha256"),
    *SCORE_COLUMNS,
    Column("value"),
    Column("annotations", Kind.INTEGER),
    Column("annotators"),
)
BETWEEN_NAMES = "; "
SINGLE, MEAN, ADJUDICATED, UNREAD = "single", "mean", "adjudicated", "unread"
ORDER = ("assignment__image_id", "assignment__annotator_id", "submitted_at", "pk")


def images_lines(reading: Reading) -> Iterator[Line]:
    """Yield the images that have answers; of several by one annotator the latest that was read counts.

    An image of which nobody's answer could be read has no numbers.

    An adjudicated value takes the place of the mean, whatever the filters have left of the answers.
    """
    sums = reading.sums
    decided = dict(settled(reading.project).order_by().values_list("image_id", "payload"))
    for image, answers in groupby(reading.rows(ORDER), key=attrgetter("image")):
        yield _line(_latest(answers), decided.get(image), sums, reading)


def _latest(answers: Iterable[AnswerRow]) -> dict[str, AnswerRow]:
    """Return each annotator's latest answer, one that was read before one that was not."""
    found: dict[str, AnswerRow] = {}
    for row in answers:
        if row.annotator not in found or not says_nothing(row.payload):
            found[row.annotator] = row
    return found


def _line(
    judges: dict[str, AnswerRow], decided: Mapping[str, Any] | None, sums: Sums, reading: Reading
) -> Line:
    text, number = reading.dialect.text, reading.dialect.number
    read = {who: row for who, row in judges.items() if not says_nothing(row.payload)}
    payloads = [decided] if decided is not None else [row.payload for row in read.values()]
    judged = [summed(payload["marks"], sums) for payload in payloads]
    together = [_sum(values) for values in zip(*judged, strict=True)] or [None] * len(SCORE_COLUMNS)
    row = next(iter(judges.values()))
    return [
        *image_values(row, reading),
        text(row.prompt_group),
        row.sha256,
        *(None if value is None else number(value, sums.unit * len(judged)) for value in together),
        ADJUDICATED if decided is not None else _value_of(read),
        len(read),
        text(BETWEEN_NAMES.join(sorted(map(reading.name, read)))),
    ]


def _value_of(read: Mapping[str, AnswerRow]) -> str:
    return MEAN if len(read) > 1 else SINGLE if read else UNREAD


def _sum(values: tuple[int | None, ...]) -> int | None:
    """The sum over judges; None where one is unknown, as of a total that is still to come."""
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None

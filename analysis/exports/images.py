"""One line per image: what was settled for it, or what its judges say on average."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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

IMAGES_COLUMNS = (
    *IMAGE_COLUMNS,
    *columns(Kind.TEXT, "prompt_group", "sha256"),
    *SCORE_COLUMNS,
    Column("value"),
    Column("annotations", Kind.INTEGER),
    Column("annotators"),
)
BETWEEN_NAMES = "; "
SINGLE, MEAN, ADJUDICATED = "single", "mean", "adjudicated"
ORDER = ("assignment__image_id", "assignment__annotator_id", "submitted_at", "pk")


def images_lines(reading: Reading) -> Iterator[Line]:
    """Yield the images that have answers; of several by one annotator the latest counts.

    An adjudicated value takes the place of the mean, whatever the filters have left of the answers.
    """
    sums = reading.sums
    decided = dict(settled(reading.project).order_by().values_list("image_id", "payload"))
    for image, answers in groupby(reading.rows(ORDER), key=attrgetter("image")):
        yield _line({row.annotator: row for row in answers}, decided.get(image), sums, reading)


def _line(
    judges: dict[str, AnswerRow], decided: Mapping[str, Any] | None, sums: Sums, reading: Reading
) -> Line:
    text, number = reading.dialect.text, reading.dialect.number
    payloads = [decided] if decided is not None else [row.payload for row in judges.values()]
    judged = [summed(payload["marks"], sums) for payload in payloads]
    # Submitted answers have all their totals.
    together = [sum(value or 0 for value in values) for values in zip(*judged, strict=True)]
    row = next(iter(judges.values()))
    return [
        *image_values(row, reading),
        text(row.prompt_group),
        row.sha256,
        *(number(value, sums.unit * len(judged)) for value in together),
        ADJUDICATED if decided is not None else SINGLE if len(judges) == 1 else MEAN,
        len(judges),
        text(BETWEEN_NAMES.join(sorted(map(reading.name, judges)))),
    ]

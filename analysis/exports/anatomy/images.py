"""One line per image: what was settled for it, or what its judges say on average."""

from __future__ import annotations

from collections.abc import Iterator

from analysis.exports.anatomy.cells import SCORE_COLUMNS
from analysis.exports.anatomy.scores import summed
from analysis.exports.anatomy.sums import Sums
from analysis.exports.columns import Kind, Line, columns
from analysis.exports.judged import JUDGED_COLUMNS, judged, judged_values
from analysis.exports.reading import Reading
from analysis.exports.shared import IMAGE_COLUMNS, image_values
from annotator.unread import says_nothing

IMAGES_COLUMNS = (
    *IMAGE_COLUMNS,
    *columns(Kind.TEXT, "prompt_group", "sha256"),
    *SCORE_COLUMNS,
    *JUDGED_COLUMNS,
)


def images_lines(reading: Reading) -> Iterator[Line]:
    """Yield the images that have answers; of several by one annotator the latest that was read counts.

    An image of which nobody's answer could be read has no numbers.

    Of answers that count an adjudicated value takes the place of the mean, whatever the filters have left.
    """
    text, number = reading.dialect.text, reading.dialect.number
    sums = Sums(reading.project.exact_weights)
    decided = reading.decided()
    for row, counted in judged(reading, lambda row: not says_nothing(row.said)):
        value = decided.get(row.image)
        payloads = [one.said for one in counted] if value is None else [value]
        scores = [summed(payload["marks"], sums) for payload in payloads]
        together = scores[0] if len(scores) == 1 else _together(scores)
        yield [
            *image_values(row, reading),
            text(row.prompt_group),
            row.sha256,
            *(None if value is None else number(value, sums.unit * len(scores)) for value in together),
            *judged_values(counted, reading, adjudicated=value is not None),
        ]


def _together(scores: list[list[int | None]]) -> list[int | None]:
    """The sums over judges; None where one of them is unknown, as of a total that is still to come."""
    if not scores:
        return [None] * len(SCORE_COLUMNS)
    return [None if None in values else sum(values) for values in zip(*scores, strict=True)]

"""One line per image: its adjudicated value or the mean of its annotations."""

from __future__ import annotations

from collections.abc import Iterator

from analysis.exports.anatomy.cells import SCORE_COLUMNS
from analysis.exports.anatomy.scores import summed
from analysis.exports.anatomy.sums import ScoreSums
from analysis.exports.chunks import PAYLOAD
from analysis.exports.columns import Line, Value
from analysis.exports.image_rows import image_columns, image_lines
from analysis.exports.source import ExportSource
from annotator.annotations.unreadable import says_nothing

IMAGES_COLUMNS = image_columns(SCORE_COLUMNS)


def images_lines(reading: ExportSource) -> Iterator[Line]:
    """Yield the images that have annotations; see `image_lines`."""
    sums, number = ScoreSums(reading.project.exact_weights), reading.dialect.number

    def written(scores: list[list[int | None]]) -> list[Value]:
        together = scores[0] if len(scores) == 1 else _together(scores)
        return [None if value is None else number(value, sums.unit * len(scores)) for value in together]

    return image_lines(
        reading,
        lambda row: not says_nothing(row.said),
        PAYLOAD,
        lambda row: summed(row.said["marks"], sums),
        lambda _, payload: summed(payload["marks"], sums),
        written,
    )


def _together(scores: list[list[int | None]]) -> list[int | None]:
    """Return the sums over annotations; None if any is unknown, such as without a total."""
    if not scores:
        return [None] * len(SCORE_COLUMNS)
    return [None if None in values else sum(values) for values in zip(*scores, strict=True)]

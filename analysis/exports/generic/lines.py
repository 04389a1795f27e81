"""The lines of a protocol's exports: by annotation, rating or image."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from analysis.data.counting import NOTHING_READ
from analysis.exports.columns import Line, Value
from analysis.exports.files import UNFINISHED
from analysis.exports.generic.ratings import SUBMITTED, ZERO, Numbers, Ratings, fraction
from analysis.exports.image_rows import image_lines
from analysis.exports.rows import AnnotationRow
from analysis.exports.shared_columns import annotation_values, image_values, origin_values, tag_values
from analysis.exports.source import ExportSource


def scores_lines(reading: ExportSource) -> Iterator[Line]:
    """Yield every annotation; an incomplete draft has no numbers."""
    ratings = Ratings(reading)
    for row in reading.rows(said=ratings.said):
        yield scores_line(row, ratings, reading)


def scores_line(row: AnnotationRow, ratings: Ratings, reading: ExportSource) -> Line:
    """Return the line of one annotation."""
    numbers = ratings.numbers(ratings.of(row), row.pk)
    about = (*tag_values(row.tags, reading), *annotation_values(row, reading), *origin_values(row, reading))
    return [*image_values(row, reading), *_written(numbers, reading), *about]


def ratings_lines(reading: ExportSource) -> Iterator[Line]:
    """Yield every rating: the headline of each annotation and its non-zero components."""
    ratings, number = Ratings(reading), reading.dialect.number
    for row in reading.rows(said=ratings.said):
        found = ratings.of(row)
        if found is None:
            reading.not_counted[NOTHING_READ if row.status == SUBMITTED else UNFINISHED] += 1
            continue
        # Check against the protocol before writing a line.
        ratings.numbers(found, row.pk)
        image = image_values(row, reading)
        answer = [*annotation_values(row, reading), *origin_values(row, reading)]
        for variable, component, value in found:
            yield [*image, variable, component, number(*fraction(value).as_integer_ratio()), *answer]


def images_lines(reading: ExportSource) -> Iterator[Line]:
    """Yield the images that have annotations; see `image_lines`."""
    ratings = Ratings(reading)
    return image_lines(
        reading,
        ratings.is_read,
        ratings.said,
        lambda row: ratings.numbers(ratings.of(row), row.pk),
        lambda row, payload: ratings.numbers(ratings.made(payload), row.pk),
        lambda found: _written(_means(found, len(ratings.places)), reading),
    )


def _means(rows: Sequence[Numbers], width: int) -> Numbers:
    """Return the exact mean of each position over the annotations that have it; None without values."""
    if len(rows) < 2:
        return rows[0] if rows else [None] * width
    return [_mean(values) for values in zip(*rows, strict=True)]


def _mean(values: Sequence[Fraction | None]) -> Fraction | None:
    if None in values:
        values = [value for value in values if value is not None]
    # Most components are 0 in all annotations.
    given = [value for value in values if value]
    return sum(given, ZERO) / len(values) if given else ZERO if values else None


def _written(numbers: Numbers, reading: ExportSource) -> list[Value]:
    number, none = reading.dialect.number, reading.dialect.number(0, 1)
    return [
        None if value is None else number(*value.as_integer_ratio()) if value else none for value in numbers
    ]

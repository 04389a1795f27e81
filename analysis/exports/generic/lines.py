"""The lines of a protocol's files: by annotation, by rating, by image."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from analysis.counting import NOTHING_READ
from analysis.exports.columns import Line, Value
from analysis.exports.generic.ratings import SUBMITTED, ZERO, Numbers, Ratings, fraction
from analysis.exports.judged import judged, judged_values
from analysis.exports.reading import Reading
from analysis.exports.rows import AnswerRow
from analysis.exports.shared import image_values
from analysis.exports.summary import UNFINISHED


def scores_lines(reading: Reading) -> Iterator[Line]:
    """Yield every annotation; a draft that is not complete has no numbers."""
    ratings = Ratings(reading)
    for row in reading.rows(said=ratings.said):
        numbers = ratings.numbers(ratings.of(row), row.pk)
        yield [*image_values(row, reading), *_written(numbers, reading), *_of_answer(row, reading)]


def ratings_lines(reading: Reading) -> Iterator[Line]:
    """Yield every rating: of each annotation the headline, and what its components have beside 0."""
    ratings, number = Ratings(reading), reading.dialect.number
    for row in reading.rows(said=ratings.said):
        found = ratings.of(row)
        if found is None:
            reading.not_counted[NOTHING_READ if row.status == SUBMITTED else UNFINISHED] += 1
            continue
        # Held against the protocol before a line is written.
        ratings.numbers(found, row.pk)
        image, answer = image_values(row, reading), _of_answer(row, reading)
        for variable, component, value in found:
            yield [
                *image,
                variable,
                component,
                number(*fraction(value).as_integer_ratio()),
                *answer,
            ]


def images_lines(reading: Reading) -> Iterator[Line]:
    """Yield the images that have answers: what was settled, or the mean of everybody's latest answer.

    Of answers that count an adjudicated value takes the place of the mean, whatever the filters have left.
    """
    ratings, text = Ratings(reading), reading.dialect.text
    decided = reading.decided()
    for row, counted in judged(reading, ratings.is_read, ratings.said):
        value = decided.get(row.image)
        if value is None:
            found = [ratings.numbers(ratings.of(one), one.pk) for one in counted]
        else:
            found = [ratings.numbers(ratings.made(value), row.pk)]
        numbers = _means(found, len(ratings.places))
        yield [
            *image_values(row, reading),
            text(row.prompt_group),
            row.sha256,
            *_written(numbers, reading),
            *judged_values(counted, reading, adjudicated=value is not None),
        ]


def _means(rows: Sequence[Numbers], width: int) -> Numbers:
    """The exact mean of each place; None where nothing is known."""
    if len(rows) < 2:
        return rows[0] if rows else [None] * width
    # Most components are 0 in all of them.
    return [
        sum(given, ZERO) / len(rows) if (given := [value for value in values if value]) else ZERO
        for values in zip(*rows, strict=True)
    ]


def _written(numbers: Numbers, reading: Reading) -> list[Value]:
    number, none = reading.dialect.number, reading.dialect.number(0, 1)
    return [
        None if value is None else number(*value.as_integer_ratio()) if value else none for value in numbers
    ]


def _of_answer(row: AnswerRow, reading: Reading) -> Line:
    text = reading.dialect.text
    return [text(row.batch), row.status, row.submitted_at, text(reading.name(row.annotator))]

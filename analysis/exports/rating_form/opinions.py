"""Mean opinion scores of a rating form: a row per image and item that has a mean."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import sqrt
from statistics import variance
from typing import Final

from analysis.exports.column_descriptions import of
from analysis.exports.columns import ExportColumn, Kind, Line, columns
from analysis.exports.generic.ratings import SUBMITTED, Ratings, fraction
from analysis.exports.image_rows import judged
from analysis.exports.layout import Layout
from analysis.exports.rows import AnnotationRow
from analysis.exports.shared_columns import IMAGE_COLUMNS, image_values
from analysis.exports.source import ExportSource
from scoring.biases import adjusted_mean, biases_of
from scoring.parametric_intervals import LEVEL, student_quantile
from scoring.protocol import Protocol
from scoring.rating_form.definition import CANNOT_JUDGE

COLUMNS: Final = (
    *IMAGE_COLUMNS,
    ExportColumn("item"),
    ExportColumn("ratings", Kind.INTEGER),
    *columns(Kind.NUMBER, "mean", "sd", "low", "high", "corrected"),
    ExportColumn(CANNOT_JUDGE, Kind.INTEGER),
)
ENTRIES: Final = (
    of("item", "the question", "its name, as in the definition of the form"),
    of("ratings", "ratings of the image", "count", least=0),
    of("mean", "their mean: the mean opinion score", "number; empty without ratings"),
    of("sd", "their standard deviation, over n − 1", "number; empty below two ratings"),
    of("low", "the lower end of Student's 95% interval of the mean", "number; empty below two ratings"),
    of("high", "the upper end", "number; empty below two ratings"),
    of(
        "corrected",
        "the mean of the ratings less the raters' biases over the file (ITU-T P.913)",
        "number; where all raters rated all images, equal to `mean`",
    ),
    of(CANNOT_JUDGE, "annotators who said that they cannot judge it", "count", least=0),
)
Rated = dict[tuple[str, str], Fraction]
"""The ratings of an item by item and rater, so that biases of all items are counted at once."""


def opinion_layouts(protocol: Protocol) -> tuple[Layout, ...]:
    """Return the layout `mos` of a rating form with scales or numbers."""
    if protocol.form is None or not items_of(protocol):
        return ()
    return (
        Layout(
            "mos",
            "Mean opinion scores",
            "One row per image and question with a mean: mean, spread, interval, mean without the raters' "
            "biases.",
            "one row per image and question: the mean of its ratings",
            COLUMNS,
            ENTRIES,
            _lines,
            reads_twice=True,
            in_parquet=True,
        ),
    )


def items_of(protocol: Protocol) -> list[str]:
    """Return the items whose ratings have a mean: scales, numbers, and the mean of all scales."""
    return [one.name for one in protocol.variables if one.level_of_measurement != "nominal"]


def _lines(reading: ExportSource) -> Iterator[Line]:
    ratings = Ratings(reading)
    biases = biases_of(rated for _, found in _rated(reading, ratings) for rated, _ in found.values())
    # The second time counts them.
    reading.not_counted.clear()
    for row, found in _rated(reading, ratings):
        for item, (rated, unsure) in found.items():
            mean = adjusted_mean(rated, {}) if rated else None
            numbers = (mean, *_spread(list(rated.values())), adjusted_mean(rated, biases) if rated else None)
            shown = (
                None if one is None else reading.dialect.number(*one.as_integer_ratio()) for one in numbers
            )
            yield [*image_values(row, reading), item, len(rated), *shown, unsure]


def _rated(
    reading: ExportSource, ratings: Ratings
) -> Iterator[tuple[AnnotationRow, dict[str, tuple[Rated, int]]]]:
    """Yield each image with the ratings of each item, and how many cannot judge it."""
    items = items_of(ratings.protocol)

    def is_read(row: AnnotationRow) -> bool:
        return row.status == SUBMITTED and ratings.is_read(row)

    for row, counted in judged(reading, is_read, ratings.said):
        found: dict[str, tuple[Rated, list[str]]] = {item: ({}, []) for item in items}
        for each in counted:
            for name, component, value in ratings.of(each) or ():
                if name in found:
                    found[name][0][name, each.annotator] = fraction(value)
                elif name == CANNOT_JUDGE and component in found:
                    found[component][1].append(each.annotator)
        yield row, {item: (rated, len(unsure)) for item, (rated, unsure) in found.items()}


def _spread(values: Sequence[Fraction]) -> tuple[float | None, float | None, float | None]:
    """Return the standard deviation, and the ends of Student's interval of the mean."""
    n = len(values)
    if n < 2:
        return None, None, None
    middle, deviation = float(sum(values) / n), sqrt(variance(values))
    half = student_quantile(LEVEL, n - 1) * deviation / sqrt(n)
    return deviation, middle - half, middle + half

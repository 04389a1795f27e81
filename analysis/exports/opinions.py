"""Mean opinion scores of a rating form: a row per image and item that has a mean."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from statistics import stdev
from typing import Final

from analysis.exports.columns import Column, Kind, Line, count
from analysis.exports.generic.layouts import Ratings, fraction, written
from analysis.exports.image_rows import judged
from analysis.exports.layout import Layout
from analysis.exports.rows import AnnotationRow
from analysis.exports.shared_columns import IMAGE_COLUMNS, image_values
from analysis.exports.source import ExportSource
from scoring.biases import adjusted_mean, biases_of
from scoring.parametric_intervals import mean_interval
from scoring.protocol import Protocol
from scoring.rating_form.definition import CANNOT_JUDGE

_BELOW_TWO: Final = "number; empty below two ratings"
COLUMNS: Final = (
    *IMAGE_COLUMNS,
    Column("item", meaning="the question", values="its name, as in the definition of the form"),
    count("ratings", "ratings of the image"),
    Column("mean", Kind.NUMBER, "their mean: the mean opinion score", "number; empty without ratings"),
    Column("sd", Kind.NUMBER, "their standard deviation, over n − 1", _BELOW_TWO),
    Column("low", Kind.NUMBER, "the lower end of Student's 95% interval of the mean", _BELOW_TWO),
    Column("high", Kind.NUMBER, "the upper end", _BELOW_TWO),
    Column(
        "corrected",
        Kind.NUMBER,
        "the mean of the ratings less the raters' biases over the file (ITU-T P.913)",
        "number; where all raters rated all images, equal to `mean`",
    ),
    count(CANNOT_JUDGE, "annotators who said that they cannot judge it"),
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
    for row, items in _rated(reading, ratings):
        for item, (rated, unsure) in items.items():
            given = list(rated.values())
            mean = Fraction(sum(given)) / len(given) if given else None
            spread = (stdev(given) if len(given) > 1 else None, *(mean_interval(given) or (None, None)))
            numbers = (mean, *spread, adjusted_mean(rated, biases) if given else None)
            yield [*image_values(row, reading), item, len(rated), *written(numbers, reading), unsure]


def _rated(
    reading: ExportSource, ratings: Ratings
) -> Iterator[tuple[AnnotationRow, dict[str, tuple[Rated, int]]]]:
    """Yield each image with the ratings of each item, and how many cannot judge it."""
    items = items_of(ratings.protocol)
    for row, counted in judged(reading, ratings.is_read, ratings.said):
        found: dict[str, tuple[Rated, list[str]]] = {item: ({}, []) for item in items}
        for each in counted:
            for name, component, value in ratings.of(each) or ():
                if name in found:
                    found[name][0][name, each.annotator] = fraction(value)
                elif name == CANNOT_JUDGE and component in found:
                    found[component][1].append(each.annotator)
        yield row, {item: (rated, len(unsure)) for item, (rated, unsure) in found.items()}

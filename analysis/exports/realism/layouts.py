"""The layouts of the realism protocol: a row per rating, and a row per image with its consolidation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Final, NamedTuple

from analysis.data.counting import NOTHING_READ
from analysis.exports.columns import Line, Value
from analysis.exports.generic.ratings import Ratings
from analysis.exports.image_rows import judged
from analysis.exports.layout import Layout
from analysis.exports.realism.columns import (
    RATINGS_COLUMNS,
    RATINGS_ENTRIES,
    REALISM_COLUMNS,
    REALISM_ENTRIES,
)
from analysis.exports.realism.data_set import DATA_SPLITS, PAIRS
from analysis.exports.rows import AnnotationRow
from analysis.exports.source import ExportSource
from annotator.data_sets.settings import invalid_from_of
from scoring.realism.biases import Rated, adjusted_mean, biases_of
from scoring.realism.consolidation import Consolidated, consolidate, mean_of, quantile, rule_of
from scoring.realism.protocol import RATING
from scoring.realism.reliability import reliability_of

MEDIAN: Final = Fraction(1, 2)


def ratings_lines(reading: ExportSource) -> Iterator[Line]:
    """Yield every annotation; a draft may have neither rating nor reason."""
    text = reading.dialect.text
    for row in reading.rows():
        yield [
            text(row.generator),
            text(row.prompt),
            row.number,
            text(reading.name(row.annotator)),
            row.said.get("rating"),
            row.said.get("invalid") or "",
            # A note may name people, whom pseudonyms hide.
            "" if reading.hidden else text(str(row.said.get("note") or "")),
            text(row.batch),
            row.status,
            row.submitted_at,
        ]


def realism_lines(reading: ExportSource) -> Iterator[Line]:
    """Yield the images that have annotations, each rater's latest consolidated."""
    ratings, text = Ratings(reading), reading.dialect.text
    invalid_from = invalid_from_of(reading.project, reading.protocol)
    outcomes = (image for _, image in _consolidated(reading, ratings, invalid_from))
    biases = biases_of(image.rated for image in outcomes if image.outcome.branch != "invalid")
    # The second time counts them.
    reading.not_counted.clear()
    for row, image in _consolidated(reading, ratings, invalid_from):
        outcome = image.outcome
        yield [
            text(row.generator),
            text(row.prompt),
            row.number,
            row.sha256,
            len(image.rated) + outcome.invalid_votes,
            outcome.invalid_votes,
            *_values(image, biases, reading),
        ]


class _Image(NamedTuple):
    rated: Rated
    outcome: Consolidated


def _consolidated(
    reading: ExportSource, ratings: Ratings, invalid_from: int
) -> Iterator[tuple[AnnotationRow, _Image]]:
    """Yield each image by one annotation, with the ratings by rater and what becomes of them."""
    for row, counted in judged(reading, ratings.is_read, ratings.said):
        votes = {each.annotator: found for each in counted if (found := ratings.of(each)) is not None}
        reading.not_counted[NOTHING_READ] += len(counted) - len(votes)
        rated = {
            rater: int(Fraction(value))
            for rater, found in votes.items()
            for name, _, value in found
            if name == RATING.name
        }
        yield row, _Image(rated, consolidate(rated.values(), len(votes) - len(rated), invalid_from))


def _values(image: _Image, biases: Mapping[str, Fraction], reading: ExportSource) -> list[Value]:
    outcome = image.outcome

    def number(value: Fraction | None) -> Value:
        return None if value is None else reading.dialect.number(*value.as_integer_ratio())

    scored = outcome.score is not None
    found = reliability_of(outcome.ratings, outcome.invalid_votes, outcome.invalid_from)
    return [
        " ".join(map(str, outcome.ratings)),
        outcome.branch,
        *map(number, (outcome.median, outcome.lower, outcome.upper)),
        " ".join(map(str, outcome.kept)),
        number(outcome.score),
        str(outcome.score) if scored else "",
        outcome.realism_class or "",
        number(mean_of(outcome.ratings) if scored else None),
        number(quantile(outcome.ratings, MEDIAN) if scored else None),
        number(adjusted_mean(image.rated, biases) if scored else None),
        reading.dialect.truth(outcome.unstable),
        *map(number, (found.low, found.high, found.changes) if found else (None, None, None)),
        rule_of(outcome.invalid_from),
    ]


def realism_layouts(generic: tuple[Layout, ...]) -> tuple[Layout, ...]:
    """Return `ratings` and `realism`, the generic layout of scores with its script, and the data set."""
    scores = tuple(layout for layout in generic if layout.slug == "scores")
    return (REALISM, RATINGS, *scores, PAIRS, DATA_SPLITS)


RATINGS: Final = Layout(
    "ratings",
    "Ratings",
    "One row per rating: image, rater, rating or reason, note. It can be imported again.",
    "one row per annotation: rating, or the reason why there is none",
    RATINGS_COLUMNS,
    RATINGS_ENTRIES,
    ratings_lines,
    marks_drafts=True,
    in_parquet=True,
)
REALISM: Final = Layout(
    "realism",
    "Realism",
    "One row per image: its ratings, how they were consolidated, the score and its class.",
    "one row per image: ratings, branch, consolidated score, class",
    REALISM_COLUMNS,
    REALISM_ENTRIES,
    realism_lines,
    in_parquet=True,
    reads_twice=True,
)

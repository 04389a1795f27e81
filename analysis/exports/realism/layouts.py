"""The layouts of the realism protocol: a row per rating, and a row per image with its consolidation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Final, NamedTuple

from analysis.data.counting import NOTHING_READ, REAL_PICTURE
from analysis.exports.columns import Column, Kind, Line, Value, columns, count, one_of
from analysis.exports.generic.layouts import Ratings, scores_line
from analysis.exports.image_rows import judged
from analysis.exports.layout import Layout
from analysis.exports.realism.data_set import CLASS, DATA_SPLITS, GENERATED, PAIRS, SOURCE
from analysis.exports.rows import AnnotationRow
from analysis.exports.shared_columns import (
    BATCH,
    IMAGE_ID,
    ORIGIN_COLUMNS,
    PLAIN_NAMES,
    SHA256,
    STATUS,
    SUBMITTED_AT,
    attribute_values,
    origin_values,
)
from analysis.exports.source import ExportSource
from annotator.data_sets.settings import settings_of
from annotator.models.data_sets import IS_REAL, REAL
from scoring.biases import adjusted_mean, biases_of, centred
from scoring.realism.consolidation import BRANCHES, Consolidated, consolidate, mean_of, quantile, rule_of
from scoring.realism.protocol import INVALID_REASONS, RATING
from scoring.realism.reliability import reliability_of

FIXED: Final = "fixed"
MEDIAN: Final = Fraction(1, 2)
_WITHOUT: Final = "number; empty without a score"
_UNUSED: Final = "number; empty where the rule does not use it"
SCORE_COLUMN: Final = Column(
    "score", Kind.NUMBER, "the consolidated score of the image", "number from 1 to 10; empty without one"
)
RATINGS_COLUMNS: Final = (
    *PLAIN_NAMES,
    Column("annotator", meaning="the code of the rater in this project, or a [pseudonym](#pseudonyms)"),
    count("rating", "how realistic the body is", "whole number from 1 to 10; empty if invalid", least=1),
    one_of("invalid", "why the image cannot be rated", INVALID_REASONS, "empty if rated"),
    Column("note", meaning="the rater's note", values="text; empty under pseudonyms"),
    *(BATCH, STATUS, SUBMITTED_AT, SOURCE, IMAGE_ID),
    *ORIGIN_COLUMNS,
)
REALISM_COLUMNS: Final = (
    *PLAIN_NAMES,
    SHA256,
    count("raters", "people who rated the image or called it invalid", unit="annotators"),
    count("invalid_votes", "how many of them called it invalid", unit="annotators"),
    Column(
        "ratings", meaning="the ratings in ascending order", values="numbers from 1 to 10, joined by spaces"
    ),
    one_of(
        "branch",
        "how the score was computed: "
        + "; ".join(f"`{branch}`: {words}" for branch, words in BRANCHES.items())
        + f"; `{FIXED}`: fixed, as the image is real"
        + "; `rule` names the number of invalid votes if it is not three",
        (*BRANCHES, FIXED),
    ),
    Column("median", Kind.NUMBER, "the median of the ratings", _UNUSED),
    Column("lower", Kind.NUMBER, "median less half the interquartile range", _UNUSED),
    Column("upper", Kind.NUMBER, "median plus half the interquartile range", _UNUSED),
    Column("kept", meaning="the ratings whose mean is the score", values="numbers joined by spaces"),
    replace(SCORE_COLUMN, meaning="the consolidated score; of a real image the fixed one"),
    Column("score_exact", meaning="the same as a fraction", values="text, `37/5`; empty without a score"),
    CLASS,
    Column("mean_all", Kind.NUMBER, "the mean of all ratings, for comparison", _WITHOUT),
    Column("median_all", Kind.NUMBER, "the median of all ratings, for comparison", _WITHOUT),
    Column(
        "mean_adjusted",
        Kind.NUMBER,
        "the mean of all ratings less the raters' biases over the generated images of the file, for "
        "comparison",
        _WITHOUT,
    ),
    Column(
        "unstable",
        Kind.TRUTH,
        "whether one rating 1 higher or lower would change the class",
        "`true` or `false`",
    ),
    *columns(
        Kind.NUMBER,
        *("score_low", "score_high"),
        meaning="the middle 95% of the scores that resampled raters give",
        values="numbers from 1 to 10; empty without a score",
    ),
    Column(
        "class_changes",
        Kind.NUMBER,
        "share of resamples of the raters that give another class, or no score",
        "number from 0 to 1; empty without a score",
    ),
    Column(
        "rule",
        meaning="the rule of consolidation and its version, with the number of invalid votes from which an "
        "image is invalid if it is not 3",
        values="text, `published-1` or `published-1 invalid_from=2`",
    ),
    SOURCE,
)


def ratings_lines(reading: ExportSource) -> Iterator[Line]:
    """Yield every annotation: its rating, or the reason why it has none."""
    text, real = reading.dialect.text, _real_pictures(reading)
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
            REAL if row.image in real else GENERATED,
            text(row.image_id),
            *origin_values(row, reading),
        ]


def realism_lines(reading: ExportSource) -> Iterator[Line]:
    """Yield the images that have annotations, each rater's latest consolidated.

    A real image keeps its fixed score. As in reports, its ratings say nothing about the raters' biases.
    """
    ratings, text, real = Ratings(reading), reading.dialect.text, _real_pictures(reading)
    settings = settings_of(reading.project)
    outcomes = _consolidated(reading, ratings, settings.invalid_from)
    biases = centred(
        biases_of(
            image.rated
            for row, image in outcomes
            if row.image not in real and image.outcome.branch != "invalid"
        )
    )
    # The second time counts them.
    reading.not_counted.clear()
    for row, image in _consolidated(reading, ratings, settings.invalid_from):
        outcome = image.outcome
        fixed = settings.real_score if row.image in real else None
        yield [
            text(row.generator),
            text(row.prompt),
            row.number,
            row.sha256,
            len(image.rated) + outcome.invalid_votes,
            outcome.invalid_votes,
            *_values(image, biases, reading, fixed),
            REAL if row.image in real else GENERATED,
            *attribute_values(row, reading),
        ]


def scores_lines(reading: ExportSource) -> Iterator[Line]:
    """Yield every annotation, except of real images as in reports, with the score of its image."""
    ratings, real = Ratings(reading), _real_pictures(reading)
    outcomes = _consolidated(reading, ratings, settings_of(reading.project).invalid_from)
    scores = {row.image: image.outcome.score for row, image in outcomes}
    # Every line is one annotation, whether it counts for the score or not.
    reading.not_counted.clear()
    for row in reading.rows(said=ratings.said):
        if row.image in real:
            reading.not_counted[REAL_PICTURE] += 1
            continue
        score = scores.get(row.image)
        number = None if score is None else reading.dialect.number(*score.as_integer_ratio())
        line = scores_line(row, ratings, reading)
        line.insert(len(line) - len(ORIGIN_COLUMNS) - len(reading.attributes), number)
        yield line


def _real_pictures(reading: ExportSource) -> set[int]:
    return set(reading.project.images.filter(IS_REAL).order_by().values_list("pk", flat=True))


class _Image(NamedTuple):
    rated: Mapping[str, int]
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


def _values(
    image: _Image, biases: Mapping[str, Fraction], reading: ExportSource, fixed: Fraction | None
) -> list[Value]:
    outcome = image.outcome

    def number(value: Fraction | None) -> Value:
        return None if value is None else reading.dialect.number(*value.as_integer_ratio())

    scored, free = outcome.score is not None, fixed is None
    found = reliability_of(outcome.ratings, outcome.invalid_votes, outcome.invalid_from) if free else None
    how = outcome if free else replace(outcome, score=fixed, kept=(), median=None, lower=None, upper=None)
    return [
        " ".join(map(str, outcome.ratings)),
        outcome.branch if free else FIXED,
        *map(number, (how.median, how.lower, how.upper)),
        " ".join(map(str, how.kept)),
        number(how.score),
        "" if how.score is None else str(how.score),
        how.realism_class or "",
        number(mean_of(outcome.ratings) if scored else None),
        number(quantile(outcome.ratings, MEDIAN) if scored else None),
        number(adjusted_mean(image.rated, biases) if scored else None),
        reading.dialect.truth(free and outcome.unstable),
        *map(number, (found.low, found.high, found.changes) if found else (None, None, None)),
        rule_of(outcome.invalid_from),
    ]


def realism_layouts(generic: tuple[Layout, ...]) -> tuple[Layout, ...]:
    """Return `ratings` and `realism`, the generic layout of scores with one more column, and the data set."""
    shared = len(ORIGIN_COLUMNS)
    scores = (
        replace(
            layout,
            words="One row per annotation: rating, reasons, score of the image. Real images are left out.",
            rows="one row per annotation, except of real images: rating, reasons, the image's score",
            columns=(*layout.columns[:-shared], SCORE_COLUMN, *ORIGIN_COLUMNS),
            lines=scores_lines,
            reads_twice=True,
        )
        for layout in generic
        if layout.slug == "scores"
    )
    return (REALISM, RATINGS, *scores, PAIRS, DATA_SPLITS)


RATINGS: Final = Layout(
    "ratings",
    "Ratings",
    "One row per rating: image, rater, rating or reason, note. It can be imported again.",
    "one row per annotation: rating, or the reason why there is none",
    RATINGS_COLUMNS,
    ratings_lines,
    in_parquet=True,
    with_attributes=True,
)
REALISM: Final = Layout(
    "realism",
    "Realism",
    "One row per image: its ratings, how they were consolidated, the score and its class.",
    "one row per image: ratings, branch, consolidated score, class",
    REALISM_COLUMNS,
    realism_lines,
    in_parquet=True,
    reads_twice=True,
    with_attributes=True,
)

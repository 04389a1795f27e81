"""The columns of the realism exports, whose names scripts may rely on."""

from __future__ import annotations

from typing import Final

from analysis.exports.column_descriptions import ColumnDescription, of
from analysis.exports.columns import ExportColumn, Kind, columns
from analysis.exports.shared_columns import IMAGE_ID, ORIGIN_COLUMNS
from annotator.models.data_sets import REAL
from scoring.realism.consolidation import BRANCHES, CLASSES
from scoring.realism.protocol import INVALID_REASONS

GENERATED, FIXED = "generated", "fixed"
SOURCES: Final = (GENERATED, REAL)
SOURCE_ENTRY: Final = of(
    "source", "whether a generator or a camera made the image", "`generated`, `real`", only=SOURCES
)
_IMAGE: Final = (*columns(Kind.TEXT, "generator", "prompt"), ExportColumn("number", Kind.INTEGER))
RATINGS_COLUMNS: Final = (
    *_IMAGE,
    ExportColumn("annotator"),
    ExportColumn("rating", Kind.INTEGER),
    *columns(Kind.TEXT, "invalid", "note", "batch", "status", "submitted_at", "source"),
    ExportColumn(IMAGE_ID),
    *ORIGIN_COLUMNS,
)
RATINGS_ENTRIES: Final[tuple[ColumnDescription, ...]] = (
    of("annotator", "the code of the rater in this project, or a [pseudonym](#pseudonyms)", "text"),
    of("rating", "how realistic the body is", "whole number from 1 to 10; empty if invalid", least=1),
    of(
        "invalid",
        "why the image cannot be rated",
        f"{', '.join(f'`{reason}`' for reason in INVALID_REASONS)}; empty if rated",
        only=INVALID_REASONS,
    ),
    of("note", "the rater's note", "text; empty under pseudonyms"),
    SOURCE_ENTRY,
)
SCORE_ENTRY: Final = of(
    "score", "the consolidated score of the image", "number from 1 to 10; empty without one"
)
REALISM_COLUMNS: Final = (
    *_IMAGE,
    ExportColumn("sha256"),
    *columns(Kind.INTEGER, "raters", "invalid_votes"),
    *columns(Kind.TEXT, "ratings", "branch"),
    *columns(Kind.NUMBER, "median", "lower", "upper"),
    ExportColumn("kept"),
    ExportColumn("score", Kind.NUMBER),
    *columns(Kind.TEXT, "score_exact", "class"),
    *columns(Kind.NUMBER, "mean_all", "median_all", "mean_adjusted"),
    ExportColumn("unstable", Kind.TRUTH),
    *columns(Kind.NUMBER, "score_low", "score_high", "class_changes"),
    *columns(Kind.TEXT, "rule", "source"),
)
REALISM_ENTRIES: Final[tuple[ColumnDescription, ...]] = (
    of("raters", "people who rated the image or called it invalid", "count", unit="annotators", least=0),
    of("invalid_votes", "how many of them called it invalid", "count", unit="annotators", least=0),
    of("ratings", "the ratings in ascending order", "numbers from 1 to 10, joined by spaces"),
    of(
        "branch",
        "how the score was computed: "
        + "; ".join(f"`{branch}`: {words}" for branch, words in BRANCHES.items())
        + f"; `{FIXED}`: fixed, as the image is real"
        + "; `rule` names the number of invalid votes if it is not three",
        ", ".join(f"`{branch}`" for branch in (*BRANCHES, FIXED)),
        only=(*BRANCHES, FIXED),
    ),
    of("median", "the median of the ratings", "number; empty where the rule does not use it"),
    of("lower", "median less half the interquartile range", "number; empty where the rule does not use it"),
    of("upper", "median plus half the interquartile range", "number; empty where the rule does not use it"),
    of("kept", "the ratings whose mean is the score", "numbers joined by spaces"),
    of(
        "score",
        "the consolidated score; of a real image the fixed one",
        "number from 1 to 10; empty without one",
    ),
    of("score_exact", "the same as a fraction", "text, `37/5`; empty without a score"),
    of(
        "class",
        "low below 3, high above 7",
        "`low`, `middle`, `high`; empty without a score",
        only=CLASSES,
    ),
    of("mean_all", "the mean of all ratings, for comparison", "number; empty without a score"),
    of("median_all", "the median of all ratings, for comparison", "number; empty without a score"),
    of(
        "mean_adjusted",
        "the mean of all ratings less the raters' biases over the generated images of the file, for "
        "comparison",
        "number; empty without a score",
    ),
    of("unstable", "whether one rating 1 higher or lower would change the class", "`true` or `false`"),
    ColumnDescription(
        ("score_low", "score_high"),
        "the middle 95% of the scores that resampled raters give",
        "numbers from 1 to 10; empty without a score",
    ),
    of(
        "class_changes",
        "share of resamples of the raters that give another class, or no score",
        "number from 0 to 1; empty without a score",
    ),
    of(
        "rule",
        "the rule of consolidation and its version, with the number of invalid votes from which an image is "
        "invalid if it is not 3",
        "text, `published-1` or `published-1 invalid_from=2`",
    ),
    SOURCE_ENTRY,
)

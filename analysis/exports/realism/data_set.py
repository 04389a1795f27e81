"""The layouts of a data set: a row per pair, and a row per image with its split."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from analysis.data.data_sets import DataSetRead, read_data_set
from analysis.exports.column_descriptions import ColumnDescription, of
from analysis.exports.columns import ExportColumn, Kind, Line, Value, columns
from analysis.exports.layout import Layout
from analysis.exports.realism.columns import GENERATED, SOURCES
from analysis.exports.source import ExportSource
from annotator.models.data_sets import REAL
from scoring.data_sets.filters import REASONS
from scoring.data_sets.images import EXCLUDED, NOT_RATED, DataImage, scored, splits_of
from scoring.data_sets.preference_pairs import KINDS, pairs_of, why_no_pairs
from scoring.data_sets.splits import SPLITS, Split, draw_of
from scoring.realism.consolidation import CLASSES, class_of


def pair_lines(reading: ExportSource) -> Iterator[Line]:
    """Yield the pairs drawn, split by split; without any, leave a remark that says why."""
    read, splits = _read(reading)
    by_key = {image.key: image for image in read.images}
    settings = read.settings
    counts, pairs = pairs_of(
        scored(read.images), splits, seed=settings.splitting.seed, most=settings.most_pairs
    )
    if why := why_no_pairs(counts):
        reading.remarks.append(why)
    text, number = reading.dialect.text, reading.dialect.number
    for pair in pairs:
        both = [by_key[pair.a], by_key[pair.b]]
        yield [
            pair.split,
            text(pair.prompt),
            pair.kind,
            *(value for image in both for value in _side(image, reading)),
            *(number(*share.as_integer_ratio()) for share in pair.preference),
            number(*pair.weight.as_integer_ratio()),
        ]


def _side(image: DataImage, reading: ExportSource) -> list[Value]:
    text, number = reading.dialect.text, reading.dialect.number
    assert image.score is not None  # only images with a score are in pairs
    score = number(*image.score.as_integer_ratio())
    return [image.key, text(image.generator), image.number, REAL if image.real else GENERATED, score]


def no_pairs(reading: ExportSource) -> str:
    """Return why the file of pairs has no rows, as a sentence; empty if it has some."""
    read, splits = _read(reading)
    counts, _ = pairs_of(
        scored(read.images), splits, seed=read.settings.splitting.seed, most=read.settings.most_pairs
    )
    return why_no_pairs(counts)


def split_lines(reading: ExportSource) -> Iterator[Line]:
    """Yield every image of the project, with its split or the reason why it has none."""
    read, splits = _read(reading)
    splitting = read.settings.splitting
    text, number = reading.dialect.text, reading.dialect.number
    for image in read.images:
        score = image.score
        yield [
            text(image.generator),
            text(image.prompt),
            image.number,
            image.key,
            REAL if image.real else GENERATED,
            None if score is None else number(*score.as_integer_ratio()),
            "" if score is None else class_of(score),
            "" if score is None else splits[image.prompt],
            "named" if image.prompt in splitting.named else "seed",
            draw_of(splitting.seed, image.prompt),
            image.without,
            " ".join(image.reasons),
        ]


def _read(reading: ExportSource) -> tuple[DataSetRead, dict[str, Split]]:
    read = reading.once(read_data_set)
    return read, splits_of(read.images, read.settings.splitting)


_SIDES: Final = ("a", "b")
PAIR_COLUMNS: Final = (
    *columns(Kind.TEXT, "split", "prompt", "kind"),
    *(
        column
        for side in _SIDES
        for column in (
            *columns(Kind.TEXT, f"sha256_{side}", f"generator_{side}"),
            ExportColumn(f"number_{side}", Kind.INTEGER),
            ExportColumn(f"source_{side}"),
            ExportColumn(f"score_{side}", Kind.NUMBER),
        )
    ),
    *columns(Kind.NUMBER, "preference_a", "preference_b", "weight"),
)
SPLIT_COLUMNS: Final = (
    *columns(Kind.TEXT, "generator", "prompt"),
    ExportColumn("number", Kind.INTEGER),
    *columns(Kind.TEXT, "sha256", "source"),
    ExportColumn("score", Kind.NUMBER),
    *columns(Kind.TEXT, "class", "split", "decided_by"),
    ExportColumn("draw", Kind.NUMBER),
    *columns(Kind.TEXT, "left_out", "reasons"),
)
_PROMPT: Final = of("prompt", "the prompt of the images", "text")
_SPLIT: Final = of("split", "the split of the prompt", ", ".join(f"`{name}`" for name in SPLITS), only=SPLITS)


def _both(name: str) -> tuple[str, ...]:
    return tuple(f"{name}_{side}" for side in _SIDES)


PAIR_ENTRIES: Final[tuple[ColumnDescription, ...]] = (
    _SPLIT,
    _PROMPT,
    of(
        "kind",
        "`preferred`: one image is high, the other low; `tie`: both are high, or both low",
        ", ".join(f"`{kind}`" for kind in KINDS),
        only=KINDS,
    ),
    ColumnDescription(_both("sha256"), "SHA-256 of the original image file", "64 hexadecimal digits"),
    ColumnDescription(_both("generator"), "the generator of the image", "text"),
    ColumnDescription(
        _both("number"),
        "the image's number within generator and prompt",
        "whole number from 0; missing if it has none",
        least=0,
    ),
    ColumnDescription(
        _both("source"), "whether a generator or a camera made it", "`generated`, `real`", only=SOURCES
    ),
    ColumnDescription(_both("score"), "the score; of a real image the fixed one", "number from 1 to 10"),
    ColumnDescription(_both("preference"), "the preference for A and for B", "1 and 0, 0 and 1, or 0.5 each"),
    of(
        "weight",
        "inversely proportional to the number of pairs of the prompt in the split; their mean is 1",
        "number above 0",
    ),
)
SPLIT_ENTRIES: Final[tuple[ColumnDescription, ...]] = (
    _PROMPT,
    of("source", "whether a generator or a camera made it", "`generated`, `real`", only=SOURCES),
    of("score", "the score; of a real image the fixed one", "number from 1 to 10; empty without one"),
    of("class", "low below 3, high above 7", "`low`, `middle`, `high`; empty without a score", only=CLASSES),
    _SPLIT,
    of(
        "decided_by",
        "how the split of the prompt was decided: named by a lead, or drawn by the seed",
        "`named`, `seed`",
        only=("named", "seed"),
    ),
    of("draw", "the first 8 hexadecimal digits of SHA-256(`seed|prompt`) / 2³²", "number from 0 to below 1"),
    of(
        "left_out",
        f"why the image has no score and no split: `{EXCLUDED}` by filters, `{NOT_RATED}`, `invalid`, "
        "or `too_few` ratings",
        "a word; empty for an image of the data set",
        only=(EXCLUDED, NOT_RATED, "invalid", "too_few"),
    ),
    of(
        "reasons",
        "the filters that left the image out: "
        + "; ".join(f"`{name}`: {words}" for name, words in REASONS.items()),
        "words joined by spaces",
    ),
)
PAIRS: Final = Layout(
    "pairs",
    "Pairs",
    "One row per pair of images of one prompt: which is preferred, weight, split. For learning a metric.",
    "one row per pair of images of one prompt: preference, weight, split",
    PAIR_COLUMNS,
    PAIR_ENTRIES,
    pair_lines,
    in_parquet=True,
    whole=True,
    why_empty=no_pairs,
)
DATA_SPLITS: Final = Layout(
    "splits",
    "Splits",
    "One row per image: score, class, split, or the reason why it is not in the data set.",
    "one row per image: score, class, split, or why it is left out",
    SPLIT_COLUMNS,
    SPLIT_ENTRIES,
    split_lines,
    in_parquet=True,
    whole=True,
)

"""The layouts of a data set: a row per pair, and a row per image with its split."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from analysis.data.data_sets import DataSetRead, read_data_set
from analysis.exports.columns import Column, Kind, Line, Value, columns, one_of
from analysis.exports.layout import Layout
from analysis.exports.shared_columns import NUMBER, PLAIN_NAMES, SHA256
from analysis.exports.source import ExportSource
from annotator.models.data_sets import REAL
from scoring.data_sets.filters import REASONS
from scoring.data_sets.images import EXCLUDED, NOT_RATED, DataImage, scored, splits_of
from scoring.data_sets.preference_pairs import KINDS, pairs_of, why_no_pairs
from scoring.data_sets.splits import SPLITS, Split, draw_of
from scoring.realism.consolidation import CLASSES, class_of

GENERATED: Final = "generated"
SOURCES: Final = (GENERATED, REAL)
SOURCE: Final = one_of("source", "whether a generator or a camera made the image", SOURCES)
CLASS: Final = one_of("class", "low below 3, high above 7", CLASSES, "empty without a score")


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


_SPLIT: Final = one_of("split", "the split of the prompt", SPLITS)
_PROMPT: Final = Column("prompt", meaning="the prompt of the images")


def _both(name: str, kind: Kind, meaning: str, values: str = "text", **more: Any) -> tuple[Column, ...]:
    return columns(kind, f"{name}_a", f"{name}_b", meaning=meaning, values=values, **more)


_SIDES: Final = (
    _both("sha256", Kind.TEXT, SHA256.meaning, SHA256.values),
    _both("generator", Kind.TEXT, "the generator of the image"),
    _both("number", Kind.INTEGER, NUMBER.meaning, NUMBER.values, least=0),
    _both("source", Kind.TEXT, "whether a generator or a camera made it", SOURCE.values, only=SOURCES),
    _both("score", Kind.NUMBER, "the score; of a real image the fixed one", "number from 1 to 10"),
)
PAIR_COLUMNS: Final = (
    _SPLIT,
    _PROMPT,
    one_of("kind", "`preferred`: one image is high, the other low; `tie`: both are high, or both low", KINDS),
    *(both[side] for side in (0, 1) for both in _SIDES),
    *_both("preference", Kind.NUMBER, "the preference for A and for B", "1 and 0, 0 and 1, or 0.5 each"),
    Column(
        "weight",
        Kind.NUMBER,
        "inversely proportional to the number of pairs of the prompt in the split; their mean is 1",
        "number above 0",
    ),
)
SPLIT_COLUMNS: Final = (
    *(PLAIN_NAMES[0], _PROMPT, PLAIN_NAMES[2], SHA256),
    replace(SOURCE, meaning="whether a generator or a camera made it"),
    Column(
        "score",
        Kind.NUMBER,
        "the score; of a real image the fixed one",
        "number from 1 to 10; empty without one",
    ),
    CLASS,
    _SPLIT,
    one_of(
        "decided_by",
        "how the split of the prompt was decided: named by a lead, or drawn by the seed",
        ("named", "seed"),
    ),
    Column(
        "draw",
        Kind.NUMBER,
        "the first 8 hexadecimal digits of SHA-256(`seed|prompt`) / 2³²",
        "number from 0 to below 1",
    ),
    Column(
        "left_out",
        meaning=f"why the image has no score and no split: `{EXCLUDED}` by filters, `{NOT_RATED}`, "
        "`invalid`, or `too_few` ratings",
        values="a word; empty for an image of the data set",
        only=(EXCLUDED, NOT_RATED, "invalid", "too_few"),
    ),
    Column(
        "reasons",
        meaning="the filters that left the image out: "
        + "; ".join(f"`{name}`: {words}" for name, words in REASONS.items()),
        values="words joined by spaces",
    ),
)
PAIRS: Final = Layout(
    "pairs",
    "Pairs",
    "One row per pair of images of one prompt: which is preferred, weight, split. For learning a metric.",
    "one row per pair of images of one prompt: preference, weight, split",
    PAIR_COLUMNS,
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
    split_lines,
    in_parquet=True,
    whole=True,
)

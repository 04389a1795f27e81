"""The contents of a data set, as tables: images by source, generators, reasons, splits, known pairs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from analysis.stats.generic.tables import Json, ResultColumn, table
from scoring.data_sets.filters import REASONS
from scoring.data_sets.images import EXCLUDED, NOT_RATED, DataImage, corrected_pairs, scored, splits_of
from scoring.data_sets.preference_pairs import HIGH_ABOVE, LOW_BELOW, pairs_of
from scoring.data_sets.splits import SPLITS, Splitting
from scoring.protocol import INVALID_FROM

BINS: Final = tuple(range(1, 10))
"""Lower bounds of the histogram: from 1 to below 2 and so on; the last includes 10."""
LISTED: Final = 200
SOURCES: Final = {False: "generated", True: "real"}
_WITHOUT: Final = {EXCLUDED: "left out by filters", NOT_RATED: "not rated"}


def data_set_tables(
    images: Sequence[DataImage],
    splitting: Splitting,
    *,
    raters: int,
    ratings: int,
    most: int,
    invalid_from: int,
) -> list[Json]:
    """Return the tables of a data set with this splitting and at most `most` pairs in a split.

    Images are invalid from `invalid_from` votes on. Real images have rows of their own.
    """
    return [
        _size(images, raters, ratings),
        _sources(images),
        _splits(images, splitting, most),
        _generators(images),
        _histogram(images),
        _reasons(images),
        _votes(images, invalid_from),
        _corrected(images),
    ]


def _size(images: Sequence[DataImage], raters: int, ratings: int) -> Json:
    used = [image for image in images if image.score is not None]
    actions = {image.action for image in used if image.action}
    rows: list[tuple[str, int]] = [
        ("Images in the data set", len(used)),
        ("Prompts", len({image.prompt for image in used})),
        ("Actions", len(actions)),
        ("Generators", len({image.generator for image in used if not image.real})),
        ("Raters", raters),
        ("Ratings", ratings),
    ]
    return table(
        "size",
        "Size",
        "Actions are the distinct values of the column “action” in the manifest.",
        (ResultColumn("what", "What"), ResultColumn("number", "Number", "count")),
        rows,
    )


def _sources(images: Sequence[DataImage]) -> Json:
    others = sorted({image.without for image in images if image.without} - _WITHOUT.keys())
    names = [*_WITHOUT, *others]
    rows = []
    for real, title in SOURCES.items():
        own = [image for image in images if image.real == real]
        without = Counter(image.without for image in own if image.without)
        rated = sum(image.rated is not None for image in own) if real else None
        rows.append([title, len(own), *(without[name] for name in names), *_classes(own), rated])
    return table(
        "sources",
        "Generated and real",
        "Real images have a fixed score. Those rated as checks keep it; the last column counts them.",
        (
            ResultColumn("source", "Source"),
            ResultColumn("images", "Images", "count"),
            *(
                ResultColumn(name, _WITHOUT.get(name, name.replace("_", " ")).capitalize(), "count")
                for name in names
            ),
            *_CLASSES,
            ResultColumn("checks", "Rated as checks", "count"),
        ),
        rows,
    )


_CLASSES: Final = (
    ResultColumn("scored", "Scored", "count", "images with a score"),
    ResultColumn("low", "Low", "count", f"score below {LOW_BELOW}"),
    ResultColumn("low_share", "Low, share", "share", "of the images with a score"),
    ResultColumn("high", "High", "count", f"score above {HIGH_ABOVE}"),
    ResultColumn("high_share", "High, share", "share", "of the images with a score"),
)


def _classes(images: Iterable[DataImage]) -> list[Any]:
    scores = [image.score for image in images if image.score is not None]
    low = sum(score < LOW_BELOW for score in scores)
    high = sum(score > HIGH_ABOVE for score in scores)
    n = len(scores)
    return [n, low, low / n if n else None, high, high / n if n else None]


def _by_generator(images: Sequence[DataImage]) -> list[tuple[str, str, list[DataImage]]]:
    groups: dict[tuple[bool, str], list[DataImage]] = defaultdict(list)
    for image in images:
        groups[image.real, image.generator].append(image)
    return [
        (name, SOURCES[real], own) for (real, name), own in sorted(groups.items(), key=lambda group: group[0])
    ]


def _generators(images: Sequence[DataImage]) -> Json:
    groups = _by_generator(images)
    return table(
        "generators",
        "By generator",
        f"Low: a score below {LOW_BELOW}; high: above {HIGH_ABOVE}.{_more(len(groups))}",
        (ResultColumn("generator", "Generator"), ResultColumn("source", "Source"), *_CLASSES),
        ([name, source, *_classes(own)] for name, source, own in groups[:LISTED]),
    )


def _histogram(images: Sequence[DataImage]) -> Json:
    rows = []
    for name, source, own in (groups := _by_generator(images))[:LISTED]:
        counts = Counter(min(int(image.score), BINS[-1]) for image in own if image.score is not None)
        rows.append([name, source, *(counts[low] for low in BINS)])
    return table(
        "histogram",
        "Scores by generator",
        f"Images by score: from the number to below the next.{_more(len(groups))}",
        (
            ResultColumn("generator", "Generator"),
            ResultColumn("source", "Source"),
            *(ResultColumn(f"from_{low}", f"{low}–{low + 1}", "count") for low in BINS),
        ),
        rows,
    )


def _reasons(images: Sequence[DataImage]) -> Json:
    return _counted(
        "excluded",
        "Left out by filters",
        "An image with several reasons counts for each.",
        images,
        lambda image: image.reasons,
        REASONS,
    )


def _votes(images: Sequence[DataImage], invalid_from: int) -> Json:
    votes = sorted({vote for image in images for vote in image.votes})
    words = {vote: vote.replace("_", " ") for vote in votes}
    enough = "three" if invalid_from == INVALID_FROM else invalid_from
    what = f"Each vote is one person’s; with {enough} or more, the image is invalid."
    return _counted("invalid", "Invalid votes by reason", what, images, lambda image: image.votes, words)


def _counted(
    name: str,
    title: str,
    words: str,
    images: Sequence[DataImage],
    of: Callable[[DataImage], Sequence[str]],
    known: Any,
) -> Json:
    counts = {
        real: Counter(value for image in images if image.real == real for value in of(image))
        for real in SOURCES
    }
    return table(
        name,
        title,
        words,
        (
            ResultColumn("reason", "Reason"),
            *(ResultColumn(title, title.capitalize(), "count") for title in SOURCES.values()),
        ),
        ([told, *(counts[real][reason] for real in SOURCES)] for reason, told in known.items()),
    )


def _splits(images: Sequence[DataImage], splitting: Splitting, most: int) -> Json:
    splits = splits_of(images, splitting)
    counts, _ = pairs_of(scored(images), splits, seed=splitting.seed, most=most)
    prompts = Counter(splits.values())
    own = Counter(splits[image.prompt] for image in images if image.score is not None)
    return table(
        "splits",
        "Splits and pairs",
        "Two images of one prompt, each with a low or a high score, make a pair. As many ties as preferences "
        "are drawn.",
        (
            ResultColumn("split", "Split"),
            ResultColumn("prompts", "Prompts", "count"),
            ResultColumn("images", "Images", "count"),
            ResultColumn("ties", "Possible ties", "count"),
            ResultColumn("preferences", "Possible preferences", "count"),
            ResultColumn("pairs", "Pairs drawn", "count"),
            ResultColumn("pair_prompts", "Their prompts", "count"),
            ResultColumn("why", "Why none"),
        ),
        (
            [
                split,
                prompts[split],
                own[split],
                counts[split].possible["tie"],
                counts[split].possible["preferred"],
                counts[split].drawn,
                counts[split].prompts,
                counts[split].why_empty if own[split] else "No image is in this split.",
            ]
            for split in SPLITS
        ),
    )


def _corrected(images: Sequence[DataImage]) -> Json:
    pairs = corrected_pairs(images)
    rows = [
        ("the corrected image scores higher", pairs["higher"]),
        ("both score the same", pairs["same"]),
        ("the corrected image scores lower", pairs["lower"]),
        ("one of the two has no score", pairs["unscored"]),
        ("the original is not in this project, or several images have its name", pairs["unknown"]),
    ]
    return table(
        "corrected",
        "Known pairs",
        "Retouched images, which name their original in the column “corrected_from” of the manifest.",
        (ResultColumn("outcome", "Outcome"), ResultColumn("pairs", "Pairs", "count")),
        rows,
    )


def _more(groups: int) -> str:
    return f" {groups - LISTED:,} more generators are in the export “splits”." if groups > LISTED else ""

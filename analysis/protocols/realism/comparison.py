"""Comparison of the realism protocol: the consolidated score by generator, prompt and prompt group.

The published rule counts; mean, median and the mean without the raters' biases are shown with it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from typing import Any, Final, Unpack

import numpy as np

from analysis.protocols.realism.images import RatedImages, other_rules
from analysis.stats.comparison.compared import Compared
from analysis.stats.comparison.comparison import Beside, compare
from analysis.stats.generic.tables import Json, ResultColumn, table
from analysis.stats.generic.values import ValuesFrame
from analysis.stats.steps import Steps
from scoring.protocol import INVALID_FROM, Variable
from scoring.realism.consolidation import (
    BRANCHES,
    CLASSES,
    FEWEST_RATINGS,
    TOP_TWO_UP_TO,
    words_of,
)
from scoring.realism.protocol import RATING
from scoring.realism.reliability import DRAWN, ENUMERATED, SEED, Reliability, reliability_of

SCORE: Final = Variable(
    name="score",
    title="Realism",
    level_of_measurement="interval",
    value_domain="1 to 10: the consolidated score of the image; none if it is invalid",
    headline=True,
    optional=True,
    higher_is_better=True,
    limits=RATING.range,
)
# Share of resamples from which a change of class is likely.
LIKELY: Final = 0.5
RULES: Final = {"mean": "mean", "median": "median", "mean_adjusted": "mean without the raters' biases"}
NOT_MONOTONE: Final = (
    "The rule is not monotone: the ratings 1 1 1 8 8 give 8, but 1 1 1 8 9 give 1. Of the 9,009 ways to "
    "raise one of five ratings by 1, 1,103 lower the score. Where most ratings are equal, nothing is left "
    "out: 1 9 9 9 9 give 7.4. Of the 2,002 possible sets of five ratings, 100 are like that."
)
AGAINST_THE_MEAN: Final = (
    "Of the 476 possible sets of five ratings within 4 points of each other, the plain mean puts 114 in "
    "another class."
)


def realism_comparison(
    frame: ValuesFrame, steps: Steps | None = None, **beside: Unpack[Beside]
) -> dict[str, Any]:
    """Return the comparison of the ratings, with the consolidation of the images."""
    images = RatedImages(frame)

    def own() -> list[Json]:
        return [make(images) for make in (_outcomes, _classes, _rules, _reliability)]

    result = compare(_compared(images), steps, own=own, **beside)
    return {**result, "settings": {**result["settings"], "consolidation": _rule(images)}}


def _compared(images: RatedImages) -> Compared:
    """Return each rating of the images with a score, and the consolidated score of these images."""
    scored = ~np.isnan(images.scores)
    rows = ~np.isnan(images.ratings) & scored[images.codes] if len(images.codes) else images.ratings > 0
    return Compared(
        frame=images.frame.only(rows),
        headline=SCORE,
        scores=images.ratings[rows],
        images=images.scores[scored],
    )


def _rule(images: RatedImages) -> str:
    """Return the rule of consolidation and the images that it leaves without a score, for the methods."""
    counts = Counter(image.branch for image in images.consolidated)
    invalid_from = images.frame.invalid_from
    published = "" if invalid_from == INVALID_FROM else f" (published: {INVALID_FROM})"
    return (
        f"The score of an image is consolidated from its ratings: where none is above {TOP_TWO_UP_TO}, it is "
        f"the {BRANCHES['top_two'].partition(',')[0]}; otherwise the {BRANCHES['kept']}, or of all if there "
        f"are none. Images with {invalid_from} or more invalid votes{published} have no score "
        f"({counts['invalid']:,}), nor have those with fewer than {FEWEST_RATINGS} ratings "
        f"({counts['too_few']:,}).{_drawn(images)}"
    )


def _drawn(images: RatedImages) -> str:
    """Return the sentence on resamples that are drawn; empty if all are counted."""
    if (
        max((len(image.ratings) + image.invalid_votes for image in images.consolidated), default=0)
        <= ENUMERATED
    ):
        return ""
    return f" Scores with other raters are from {DRAWN:,} resamples of an image's votes, seed {SEED}."


def with_scores(frame: ValuesFrame) -> ValuesFrame:
    """Return a frame with the consolidated score of its images as the headline of each annotation."""
    images = RatedImages(frame)
    scores = images.scores[images.codes] if len(images.codes) else images.ratings
    return replace(
        frame,
        protocol=replace(frame.protocol, variables=(SCORE,)),
        values={SCORE.name: np.asarray(scores)[:, None]},
    )


def _outcomes(images: RatedImages) -> Json:
    counts = Counter(image.branch for image in images.consolidated)
    return table(
        "outcomes",
        "How scores were computed",
        NOT_MONOTONE,
        (ResultColumn("outcome", "Outcome"), ResultColumn("images", "Images", "count")),
        ([words_of(branch, images.frame.invalid_from), counts[branch]] for branch in BRANCHES),
        line=f"{counts['top_two']:,} by the two highest, {counts['kept']:,} by those inside the interval, "
        f"{counts['none_kept']:,} by all; {counts['invalid']:,} invalid, {counts['too_few']:,} with too few",
    )


def _classes(images: RatedImages) -> Json:
    frame = images.frame
    labels, of = frame.labels("generator"), frame.codes("generator")[images.first]
    invalid = words_of("invalid", frame.invalid_from)
    counts = Counter(
        (int(code), image.realism_class or image.branch)
        for code, image in zip(of, images.consolidated, strict=True)
    )
    rows = []
    for code, label in enumerate(labels):
        rated = sum(counts[code, name] for name in CLASSES)
        shares = [counts[code, name] / rated if rated else None for name in CLASSES]
        rows.append([label, rated, counts[code, "invalid"], counts[code, "too_few"], *shares])
    return table(
        "classes",
        "Low, middle and high",
        "Images by the class of their score: low below 3, high above 7.",
        (
            ResultColumn("generator", "Generator"),
            ResultColumn("images", "Scored", "count", "images with a score"),
            ResultColumn("invalid", "Invalid", "count", f"images with {invalid}"),
            ResultColumn("too_few", "Too few", "count", "images with fewer than three ratings"),
            *(
                ResultColumn(name, name.capitalize(), "share", "of the images with a score")
                for name in CLASSES
            ),
        ),
        rows,
        line=_told(images),
    )


def _told(images: RatedImages) -> str:
    """Return how many scores are of each class, in words."""
    counts = Counter(image.realism_class for image in images.consolidated)
    return ", ".join(f"{counts[name]:,} {name}" for name in CLASSES)


def _rules(images: RatedImages) -> Json:
    """Return in how many images another rule gives another class, and how many are unstable."""
    scored = [image for image in images.consolidated if image.score is not None]
    changed = Counter(
        name
        for image, adjusted in zip(images.consolidated, images.adjusted, strict=True)
        for name, (_, other) in other_rules(image, adjusted).items()
        if other != image.realism_class
    )
    unstable = sum(image.unstable for image in scored)
    share = len(scored) or None
    rows = [
        [f"by the {words}", changed[name], share and changed[name] / share] for name, words in RULES.items()
    ]
    return table(
        "rules",
        "Other rules",
        "In how many images the class would differ: by another rule, or with one rating 1 higher or lower. "
        f"{AGAINST_THE_MEAN} The export “realism” has them image by image.",
        (
            ResultColumn("rule", "Differs"),
            ResultColumn("images", "Images", "count"),
            ResultColumn("share", "Share", "share", "of the images with a score"),
        ),
        [*rows, ["if one rating changed by 1", unstable, share and unstable / share]],
        line=f"of {len(scored):,} scores, {changed['mean']:,} in another class by the plain mean, "
        f"{unstable:,} if one rating changed by 1",
    )


def _reliability(images: RatedImages) -> Json:
    """Return by generator how far scores depend on which raters an image had."""
    frame = images.frame
    labels, of = frame.labels("generator"), frame.codes("generator")[images.first]
    by_generator: dict[int, list[Reliability]] = defaultdict(list)
    for code, image in zip(of.tolist(), images.consolidated, strict=True):
        if reliability := reliability_of(image.ratings, image.invalid_votes, image.invalid_from):
            by_generator[code].append(reliability)
    rows: list[list[Any]] = []
    for code, label in enumerate(labels):
        own = by_generator[code]
        changes = [float(reliability.changes) for reliability in own]
        rows.append(
            [
                label,
                len(own),
                float(np.mean([reliability.high - reliability.low for reliability in own])) if own else None,
                float(np.mean(changes)) if own else None,
                sum(share >= LIKELY for share in changes),
            ]
        )
    return table(
        "reliability",
        "With other raters",
        "Each image's votes are resampled with replacement and consolidated again: how wide the middle 95% "
        f"of scores is, and how often the class changes. {ENUMERATED} raters or fewer: all resamples, "
        "exactly.",
        (
            ResultColumn("generator", "Generator"),
            ResultColumn("images", "Scored", "count", "images with a score"),
            ResultColumn("width", "Width", "number", "mean width of the 95% interval of a score, in points"),
            ResultColumn("changes", "Class changes", "share", "mean share of resamples"),
            ResultColumn("likely", "Likely to change", "count", "images whose class changes in half or more"),
        ),
        rows,
        line=f"{sum(row[4] for row in rows):,} of {sum(row[1] for row in rows):,} scores "
        "would change class as often as not",
    )

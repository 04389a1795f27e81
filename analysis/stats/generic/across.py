"""The same images under several protocols: correlation of headlines, and images that contradict it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from analysis.stats.frames import Floats, Ints
from analysis.stats.generic.consistency import ids_of
from analysis.stats.generic.tables import ResultColumn, finding, table
from analysis.stats.generic.values import ValuesFrame
from analysis.stats.means import grouped, mean_estimates
from analysis.stats.rank_correlation import midranks, ordered_codes, spearman
from analysis.stats.steps import Sections, Steps

FIFTHS: Final = ("lowest fifth", "second fifth", "middle fifth", "fourth fifth", "highest fifth")
APART: Final = 0.4
"""Ranks this share of all images apart contradict each other; yes and no are half of them apart."""
LISTED: Final = 60


def across(first: ValuesFrame, others: Sequence[ValuesFrame], steps: Steps | None = None) -> dict[str, Any]:
    """Return how a protocol's headline relates to those of others on the same images, as plain values.

    Several annotations of an image are averaged. Every frame in `others` shares an image with `first`.
    """
    section = Sections(steps, len(others))
    pairs = [section(_Pair(first, other)) for other in others]
    own, between = first.protocol.headline.title, ResultColumn("other", "Compared with")
    correlations = table(
        "across",
        "Rank correlation",
        "Spearman's rank correlation of the headlines over images annotated under both protocols, with its "
        "95% interval from resampling whole images: 1 the same order, 0 no relation, −1 the reverse order.",
        (
            between,
            ResultColumn("images", "Images", "count"),
            ResultColumn("rho", "Rho", "estimate"),
            ResultColumn("apart", "Contradictions", "count", "images whose two ranks are far apart"),
        ),
        [[pair.title, len(pair.ids), pair.rho, pair.contradicting] for pair in pairs],
    )
    fifths = table(
        "fifths",
        f"By fifths of {own.lower()}",
        f"Images in the order of {own.lower()}, in five groups of about the same size; equal values stay "
        "together. Means have Student's 95% intervals.",
        (
            between,
            ResultColumn("fifth", own),
            ResultColumn("images", "Images", "count"),
            ResultColumn("first", f"Mean {own.lower()}", "number"),
            ResultColumn("second", "Mean of the other", "estimate"),
        ),
        [row for pair in pairs for row in pair.by_fifth()],
    )
    apart = table(
        "contradictions",
        "Contradictions",
        "Images ranked well under one protocol and badly under the other: at least two fifths of all images "
        f"lie between the two ranks. The {LISTED} furthest apart are listed for each protocol.",
        (
            between,
            ResultColumn("generator", "Generator"),
            ResultColumn("prompt", "Prompt"),
            ResultColumn("number", "Image", "count", "its number within generator and prompt"),
            ResultColumn("first", own, "number"),
            ResultColumn("second", "The other", "number"),
            ResultColumn("apart", "Apart", "share", "images between the two ranks, of all images"),
        ),
        [row for pair in pairs for row in pair.contradictions()],
    )
    return {
        "tables": [correlations, fifths, apart],
        "findings": [finding("correlates", "across", place) for place in range(len(pairs))],
        "figures": [],
    }


class _Pair:
    """The images that two frames share.

    `ids`, `first` and `second` are (m,), ascending by id; `apart` is (m,): the distance of the two ranks as a
    share of all images, the second in reverse if the better value is high for one and low for the other.
    """

    def __init__(self, first: ValuesFrame, second: ValuesFrame) -> None:
        # An image without an optional headline has no rank.
        first, second = first.with_headline, second.with_headline
        self.frame = first
        self.ranges = [frame.protocol.headline.range for frame in (first, second)]
        self.title = f"{second.protocol.title}: {second.protocol.headline.title.lower()}"
        own, other = _means(first), _means(second)
        self.ids = np.intersect1d(own[0], other[0])
        self.first, self.second = (means[np.searchsorted(ids, self.ids)] for ids, means in (own, other))
        n_annotators = len({*first.labels("annotator"), *second.labels("annotator")})
        self.n_annotators = n_annotators
        self.rho = spearman(self.first, self.second, n_annotators)
        n = len(self.ids)
        self.ranks = _ranks(self.first)
        up, other_up = (frame.protocol.headline.higher_is_better for frame in (first, second))
        others = n + 1 - _ranks(self.second) if up != other_up else _ranks(self.second)
        self.apart = np.abs(self.ranks - others) / n
        self.contradicting = int((self.apart >= APART).sum()) if self.rho["low"] is not None else 0

    def by_fifth(self) -> list[list[Any]]:
        fifth = np.minimum((5 * (self.ranks - 0.5) / len(self.ids)).astype(np.int64), 4)
        means = [
            mean_estimates(grouped(values, fifth, 5), np.full(5, self.n_annotators), within)
            for values, within in zip((self.first, self.second), self.ranges, strict=True)
        ]
        return [
            [self.title, name, means[0][i]["n_units"], means[0][i]["value"], means[1][i]]
            for i, name in enumerate(FIFTHS)
            if means[0][i]["n_units"]
        ]

    def contradictions(self) -> list[list[Any]]:
        if not self.contradicting:
            return []
        order = np.argsort(-self.apart, kind="stable")[: min(self.contradicting, LISTED)]
        rows = np.searchsorted(ids_of(self.frame), self.ids[order])
        described = self.frame.annotations.iloc[rows]
        names = zip(described["generator"], described["prompt"], described["number"], strict=True)
        return [
            [
                self.title,
                str(generator),
                str(prompt),
                int(number),
                float(self.first[place]),
                float(self.second[place]),
                float(self.apart[place]),
            ]
            for place, (generator, prompt, number) in zip(order.tolist(), names, strict=True)
        ]


def _means(frame: ValuesFrame) -> tuple[Ints, Floats]:
    """Return (m,) ids of images and their mean headlines, ascending by id."""
    codes = frame.image_codes
    return np.unique(ids_of(frame)), np.bincount(codes, frame.headline) / np.bincount(codes)


def _ranks(values: Floats) -> Floats:
    return midranks(ordered_codes(values), np.ones(len(values)))

"""The ratings of each image, its consolidated score, and the raters' biases."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Final

import numpy as np

from analysis.stats.frames import Floats, Ints
from analysis.stats.generic.values import ValuesFrame
from scoring.biases import adjusted_mean, biases_of, centred
from scoring.realism.consolidation import Consolidated, RealismClass, class_of, consolidate, mean_of, quantile
from scoring.realism.protocol import RATING

MEDIAN: Final = Fraction(1, 2)


@dataclass(frozen=True)
class RatedImages:
    """The images of a frame in the order of its `image_codes`; a rating is NaN where the vote is invalid."""

    frame: ValuesFrame

    @cached_property
    def ratings(self) -> Floats:
        """Return (n,): the rating of each annotation."""
        return self.frame.values[RATING.name][:, 0]

    @cached_property
    def codes(self) -> Ints:
        """Return (n,): the image of each annotation."""
        return self.frame.image_codes

    @cached_property
    def first(self) -> Ints:
        """Return (m,): the first annotation of each image."""
        return np.flatnonzero(np.diff(self.codes, prepend=-1))

    @cached_property
    def rated(self) -> list[dict[int, int]]:
        """Return (m,): the ratings of each image by annotator, without invalid votes."""
        both = zip(self.codes.tolist(), self.frame.codes("annotator").tolist(), self.ratings, strict=True)
        rated: list[dict[int, int]] = [{} for _ in self.first]
        for code, annotator, rating in both:
            if not np.isnan(rating):
                rated[code][annotator] = int(rating)
        return rated

    @cached_property
    def consolidated(self) -> list[Consolidated]:
        """Return (m,): the outcome of each image."""
        both = zip(self.rated, np.bincount(self.codes).tolist(), strict=True)
        return [
            consolidate(rated.values(), votes - len(rated), self.frame.invalid_from) for rated, votes in both
        ]

    @cached_property
    def scores(self) -> Floats:
        """Return (m,): the consolidated score, NaN without one."""
        return np.array(
            [np.nan if outcome.score is None else float(outcome.score) for outcome in self.consolidated]
        )

    @cached_property
    def counted(self) -> Floats:
        """Return (n,): the ratings of images that are not invalid; NaN elsewhere and for invalid votes."""
        invalid = np.array([outcome.branch == "invalid" for outcome in self.consolidated], dtype=np.bool_)
        return np.where(invalid[self.codes], np.nan, self.ratings) if len(self.codes) else self.ratings

    @cached_property
    def adjusted(self) -> list[Fraction | None]:
        """Return (m,): the mean of each image's ratings less the raters' biases, None without a score."""
        both = list(zip(self.rated, self.consolidated, strict=True))
        biases = centred(biases_of(rated for rated, image in both if image.branch != "invalid"))
        return [None if image.score is None else adjusted_mean(rated, biases) for rated, image in both]


def other_rules(image: Consolidated, adjusted: Fraction | None) -> dict[str, tuple[float, RealismClass]]:
    """Return the score and the class of an image by the other rules; nothing without a score."""
    if adjusted is None:
        return {}
    scores = {
        "mean": mean_of(image.ratings),
        "median": quantile(image.ratings, MEDIAN),
        "mean_adjusted": adjusted,
    }
    return {name: (float(value), class_of(value)) for name, value in scores.items()}

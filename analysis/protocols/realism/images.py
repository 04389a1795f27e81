"""The ratings of each image, its consolidated score, and the raters' biases."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Final

import numpy as np

from analysis.stats.frames import Floats, Ints
from analysis.stats.generic.values import ValuesFrame
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
    def consolidated(self) -> list[Consolidated]:
        """Return (m,): the outcome of each image."""
        outcomes = []
        for own in np.split(self.ratings, self.first[1:]) if len(self.codes) else ():
            rated = own[~np.isnan(own)]
            invalid_votes = len(own) - len(rated)
            outcomes.append(consolidate(rated.astype(int).tolist(), invalid_votes, self.frame.invalid_from))
        return outcomes

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
    def deviations(self) -> tuple[Floats, Ints]:
        """Return (k,) deviations of ratings from the mean of their image, and (k,) their annotators.

        Only images with two or more ratings that are not invalid.
        """
        rows = np.flatnonzero(~np.isnan(self.counted))
        codes, values = self.codes[rows], self.counted[rows]
        n = np.bincount(codes, minlength=len(self.first))
        means = np.bincount(codes, values, minlength=len(self.first)) / np.maximum(n, 1)
        several = n[codes] >= 2
        annotators = self.frame.codes("annotator")[rows]
        return (values - means[codes])[several], annotators[several]

    @cached_property
    def biases(self) -> Floats:
        """Return (annotators,): mean deviation from the image mean, centred; NaN without shared images."""
        away, who = self.deviations
        labels = len(self.frame.labels("annotator"))
        n = np.bincount(who, minlength=labels)
        means = np.where(n > 0, np.bincount(who, away, minlength=labels) / np.maximum(n, 1), np.nan)
        return means - np.nanmean(means) if (n > 0).any() else means

    @cached_property
    def adjusted(self) -> Floats:
        """Return (m,): the mean of each image's ratings less the raters' biases, NaN without a score."""
        bias = np.nan_to_num(self.biases)[self.frame.codes("annotator")]
        rows = np.flatnonzero(~np.isnan(self.counted))
        n = np.bincount(self.codes[rows], minlength=len(self.first))
        total = np.bincount(self.codes[rows], (self.counted - bias)[rows], minlength=len(self.first))
        return np.where(np.isnan(self.scores), np.nan, total / np.maximum(n, 1))


def other_rules(image: Consolidated, adjusted: float) -> dict[str, tuple[float, RealismClass]]:
    """Return the score and the class of an image with a score by the other rules."""
    scores = {"mean": mean_of(image.ratings), "median": quantile(image.ratings, MEDIAN)}
    exact = {name: (float(value), class_of(value)) for name, value in scores.items()}
    # A float this close to a bound is on it: only rounding lies between.
    return {**exact, "mean_adjusted": (adjusted, class_of(Fraction(adjusted).limit_denominator(10**6)))}

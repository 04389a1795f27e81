"""Raters of the realism protocol: bias, inconsistency and invalid votes."""

from __future__ import annotations

from math import sqrt
from typing import Any, Final

import numpy as np

from analysis.protocols.realism.images import RatedImages
from analysis.stats.bootstrap_intervals import NONE, estimated
from analysis.stats.estimates import Estimate, estimate, refused
from analysis.stats.frames import Floats
from analysis.stats.generic.annotators import annotators
from analysis.stats.generic.tables import Json, ResultColumn, table
from analysis.stats.generic.values import ValuesFrame
from analysis.stats.means import grouped, mean_estimates
from analysis.stats.steps import Steps
from scoring.parametric_intervals import clopper_pearson

FEWEST_IMAGES: Final = 20
FEWEST_RATINGS: Final = 3
EXACT: Final = "exact binomial"
NO_SHARED: Final = "no images shared with others"
NO_VALUE: Final = "all differences are equal"
SCREENED_FROM: Final = 6
"""Ratings of an image among which one can be more than 2 standard deviations from their mean."""
NO_SCREENING: Final = (
    "There is no screening for outliers by ITU-R BT.500: among five values none is further than 1.79 "
    "standard deviations from their mean, so its rules could never apply. Judge raters by these numbers."
)
NOT_SCREENED: Final = (
    "Outliers are not screened by ITU-R BT.500, although its rule of 2 standard deviations could apply: "
    "among {most} values one can be {furthest:.2f} standard deviations from their mean. Judge raters by "
    "these numbers."
)


def realism_annotators(frame: ValuesFrame, steps: Steps | None = None) -> dict[str, Any]:
    """Return the generic annotators report with a table of raters before it."""
    result = annotators(frame, steps)
    return {**result, "tables": [_raters(RatedImages(frame.at_random)), *result["tables"]]}


def _raters(images: RatedImages) -> Json:
    frame = images.frame
    labels, codes = frame.labels("annotator"), frame.codes("annotator")
    votes = np.bincount(codes, minlength=len(labels))
    invalid = np.bincount(codes[np.isnan(images.ratings)], minlength=len(labels))
    bias, spread = biases(images), inconsistencies(images)
    rated = np.bincount(images.codes[~np.isnan(images.counted)], minlength=1)
    return table(
        "raters",
        "Raters",
        f"Bias: how much higher a rater rates than the mean of an image. Inconsistency: how much a rater's "
        f"difference from the others varies, from {FEWEST_IMAGES} images on. {screening(int(rated.max()))}",
        (
            ResultColumn("annotator", "Annotator"),
            ResultColumn("annotations", "Images", "count", "images rated or called invalid"),
            ResultColumn("bias", "Bias", "estimate", "mean difference from the image mean, centred"),
            ResultColumn(
                "inconsistency",
                "Inconsistency",
                "estimate",
                "standard deviation of the difference from the others' mean, interval over images",
            ),
            ResultColumn("invalid", "Invalid", "estimate", "share of the rater's images, exact interval"),
        ),
        (
            [label, int(votes[i]), bias[i], spread[i], _share(int(invalid[i]), int(votes[i]))]
            for i, label in enumerate(labels)
        ),
    )


def screening(most: int) -> str:
    """Return why raters are not screened where an image has at most so many ratings.

    Among n values none is further than (n - 1) / √n standard deviations from their mean.
    """
    if most < SCREENED_FROM:
        return NO_SCREENING
    return NOT_SCREENED.format(most=most, furthest=(most - 1) / sqrt(most))


def _share(invalid: int, images: int) -> Estimate:
    """Return a share of images with the exact interval: each is called invalid, or is not."""
    low, high = clopper_pearson(invalid, images) or (0.0, 1.0)
    return estimate(invalid / images, low, high, n_units=images, n_coders=1, method=EXACT)


def biases(images: RatedImages) -> list[Estimate]:
    """Return each rater's centred mean deviation from the image mean, Student's interval over images."""
    away, who = images.deviations
    labels = len(images.frame.labels("annotator"))
    found = grouped(away, who, labels)
    centre = float(np.nanmean(np.where(found.n > 0, found.mean, np.nan))) if len(away) else 0.0
    made = mean_estimates(found, np.full(labels, 2))
    return [
        _moved(each, -centre) if n else refused(NO_SHARED, method=NONE)
        for each, n in zip(made, found.n, strict=True)
    ]


def _moved(found: Estimate, by: float) -> Estimate:
    value, low, high = (
        None if each is None else each + by for each in (found["value"], found["low"], found["high"])
    )
    return {**found, "value": value, "low": low, "high": high}


def inconsistencies(images: RatedImages) -> list[Estimate]:
    """Return each rater's standard deviation of own minus the mean of the others, over images.

    Only images with three or more ratings that are not invalid; refused below `FEWEST_IMAGES` images.
    """
    rows = np.flatnonzero(~np.isnan(images.counted))
    codes, values = images.codes[rows], images.counted[rows]
    n = np.bincount(codes, minlength=len(images.first))[codes]
    total = np.bincount(codes, values, minlength=len(images.first))[codes]
    kept = n >= FEWEST_RATINGS
    gaps = values[kept] - (total[kept] - values[kept]) / (n[kept] - 1)
    who = images.frame.codes("annotator")[rows][kept]
    return [_spread(gaps[who == code]) for code in range(len(images.frame.labels("annotator")))]


def _spread(gaps: Floats) -> Estimate:
    if len(gaps) < FEWEST_IMAGES:
        return refused(f"too few: {len(gaps)} of {FEWEST_IMAGES} images", n_units=len(gaps), method=NONE)
    away = gaps - gaps.mean()
    sums = np.column_stack([np.ones(len(away)), away, away**2])

    def statistic(totals: Floats) -> Floats:
        n, total, squares = np.moveaxis(totals, -1, 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.sqrt(np.maximum(squares - total**2 / n, 0) / (n - 1)))[..., None]

    (found,) = estimated(sums, statistic, n_coders=1, undefined=NO_VALUE, lowest=0.0)
    return found

"""Agreement of the realism protocol: three alphas, and the intraclass correlation of the ratings.

Ratings are compared on images that are not invalid; valid and invalid on all images.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import numpy as np

from analysis.protocols.realism.images import RatedImages
from analysis.stats.bootstrap_intervals import estimated
from analysis.stats.estimates import Estimate
from analysis.stats.frames import Floats, Ints
from analysis.stats.generic.agreement import LISTED, agreement
from analysis.stats.generic.tables import Json, ResultColumn, table
from analysis.stats.generic.values import ValuesFrame
from analysis.stats.steps import Steps
from scoring.protocol import Variable
from scoring.realism.protocol import RATING

INTERVAL: Final = replace(
    RATING,
    name="rating_interval",
    title="Realism, equal steps",
    level_of_measurement="interval",
    headline=False,
)
VALID: Final = Variable(
    name="valid",
    title="Valid or invalid",
    level_of_measurement="nominal",
    value_domain="1 for a rating, 0 for an invalid vote",
    values=(0, 1),
)
NO_VALUE: Final = "all ratings are equal"
NO_MEAN: Final = "ratings of one image differ as much as they can: a mean of them has no correlation"
_NOTHING: Final = 1e-9
GROUPS: Final = (("generator", "Generator"), ("prompt", "Prompt"))


def realism_agreement(frame: ValuesFrame, steps: Steps | None = None) -> dict[str, Any]:
    """Return the generic agreement report of the three variables, with the intraclass correlations."""
    images = RatedImages(frame)
    counted = images.counted[:, None]
    compared = replace(
        frame,
        protocol=replace(frame.protocol, variables=(RATING, INTERVAL, VALID)),
        values={
            RATING.name: counted,
            INTERVAL.name: counted,
            VALID.name: (~np.isnan(images.ratings)).astype(np.float64)[:, None],
        },
    )
    result = agreement(compared, steps)
    images = RatedImages(frame.at_random)
    correlated = [_correlations(images), *(_correlations_by(images, *group) for group in GROUPS)]
    return {**result, "tables": [result["tables"][0], *correlated, *result["tables"][1:]]}


def _correlations(images: RatedImages) -> Json:
    one, several, raters = correlations(images)
    return table(
        "icc",
        "Intraclass correlation",
        "How much of the variance of ratings lies between images, of a single rating and of the mean of as "
        "many ratings as an image has at most. One-way, because different raters judge different images.",
        (
            ResultColumn("of", "Of"),
            ResultColumn("icc", "ICC", "estimate", "one-way intraclass correlation, interval over images"),
        ),
        [["one rating", one], [f"the mean of {raters} ratings", several]] if raters > 1 else [],
    )


def _correlations_by(images: RatedImages, column: str, title: str) -> Json:
    """Return the correlations within each group of images, of the groups with the most annotations."""
    frame = images.frame
    codes, labels = frame.codes(column), frame.labels(column)
    sizes = np.bincount(codes, minlength=len(labels))
    rows = []
    for code in np.sort(np.argsort(-sizes, kind="stable")[:LISTED]).tolist():
        one, several, raters = correlations(images, np.flatnonzero(codes == code))
        rows.append([labels[code], one, several, raters, one["n_units"]])
    return table(
        f"icc_by_{column}",
        f"Intraclass correlation by {title.lower()}",
        f"Between the images of one {title.lower()} only: where they are alike, ratings correlate less, "
        f"however close together they are.",
        (
            ResultColumn(column, title),
            ResultColumn("icc", "ICC, one rating", "estimate", "of a single rating, interval over images"),
            ResultColumn(
                "icc_mean", "ICC, mean", "estimate", "of the mean of as many ratings as stand beside"
            ),
            ResultColumn("ratings", "Ratings", "count", "the most ratings of an image"),
            ResultColumn("images", "Images", "count", "images with two or more ratings", "images"),
        ),
        rows,
    )


def correlations(images: RatedImages, within: Ints | None = None) -> tuple[Estimate, Estimate, int]:
    """Return ICC(1,1), ICC(1,k), and k, the most ratings of an image; unbalanced, by k0.

    `within` are the annotations of whole images, if not all.

    Sources: P. E. Shrout and J. L. Fleiss (1979), Intraclass correlations, Psychological Bulletin 86,
    420-428; k0 as in S. R. Searle, G. Casella and C. E. McCulloch (1992), Variance Components, section 3.6;
    ICC(1,k) from ICC(1,1) by the Spearman-Brown formula.
    """
    rows = np.arange(len(images.counted)) if within is None else within
    rows = rows[~np.isnan(images.counted[rows])]
    codes, values = np.unique(images.codes[rows], return_inverse=True)[1], images.counted[rows]
    n = np.bincount(codes) if len(codes) else np.zeros(0, dtype=np.int64)
    kept = n[codes] >= 2 if len(codes) else np.zeros(0, dtype=np.bool_)
    codes, values = np.unique(codes[kept], return_inverse=True)[1], values[kept]
    n = np.bincount(codes) if len(codes) else n[:0]
    total = np.bincount(codes, values, minlength=len(n))
    squares = np.bincount(codes, values**2, minlength=len(n))
    sums = np.column_stack([np.ones(len(n)), n, n**2, total, squares, total**2 / np.maximum(n, 1)])
    most = int(n.max(initial=0))

    def statistic(totals: Floats) -> Floats:
        single = one_way(totals)
        below = 1 + (most - 1) * single
        with np.errstate(divide="ignore", invalid="ignore"):
            # At the least possible value of a single rating, -1 / (k - 1), that of the mean is infinite.
            mean = np.where(np.abs(below) > _NOTHING, most * single / below, np.nan)
        return np.stack([single, mean], axis=-1)

    coders = len(np.unique(images.frame.codes("annotator")[rows]))
    with np.errstate(divide="ignore", invalid="ignore"):
        is_defined = bool(np.isfinite(one_way(sums.sum(axis=0))))
    undefined = [NO_VALUE, NO_MEAN if is_defined else NO_VALUE]
    one, several = estimated(sums, statistic, n_coders=coders, undefined=undefined, highest=1.0)
    return one, several, most


def one_way(totals: Floats) -> Floats:
    """Return ICC(1,1) of (…, 6) totals over images: 1, n, n², Σx, Σx² and (Σx)²/n."""
    m, n, n2, total, squares, between = np.moveaxis(totals, -1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        msb = (between - total**2 / n) / (m - 1)
        msw = (squares - between) / (n - m)
        k0 = (n - n2 / n) / (m - 1)
        return np.asarray((msb - msw) / (msb + (k0 - 1) * msw))

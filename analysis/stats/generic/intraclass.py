"""Intraclass correlations of ratings: the share of their variance that is due to the images.

One-way, ICC(1,·): P. E. Shrout, J. L. Fleiss, "Intraclass correlations", Psychological Bulletin 86 (1979)
420-428, with k0 of unbalanced ratings as in S. R. Searle, G. Casella, C. E. McCulloch, "Variance Components"
(1992), section 3.6. Two-way, ICC(A,·) and ICC(C,·): K. O. McGraw, S. P. Wong, "Forming inferences about some
intraclass correlation coefficients", Psychological Methods 1 (1996) 30-46, from variance components by REML,
because not everybody judged every image. A mean of k ratings follows by the Spearman-Brown formula.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from analysis.stats.bootstrap_intervals import NONE, estimated
from analysis.stats.estimates import Estimate, refused
from analysis.stats.fewest_images import FEWEST, too_few
from analysis.stats.frames import Floats, Ints
from analysis.stats.mixed_fits import fit
from analysis.stats.mixed_models import BLOCK, CELL, IMAGE, RESIDUAL, model_of
from analysis.stats.variance_components import share_estimate

MOST_ANNOTATORS: Final = 500
NEVER_DIFFER: Final = "two annotators of an image never differ"
NO_VALUE: Final = "all ratings are equal"
NO_MEAN: Final = "ratings of one image differ as much as they can: a mean of them has no correlation"
_NOTHING: Final = 1e-9


def two_way(values: Floats, annotators: Ints, images: Ints) -> tuple[Estimate, Estimate]:
    """Return ICC(A,1) and ICC(C,1), of agreement and of consistency; only the first counts strictness.

    All are (n,): a value and the codes of who gave it to which image, images as 0, 1, … without gaps.
    """
    people = np.unique(annotators, return_inverse=True)[1]
    n_images, n_coders = int(images.max(initial=-1)) + 1, int(people.max(initial=-1)) + 1
    about = {"n_units": n_images, "n_coders": n_coders}
    if reason := _no_components(values, images, n_images, n_coders):
        nothing = refused(reason, method=NONE, **about)
        return nothing, nothing
    ones = np.zeros(len(values), dtype=np.int64)
    model = fit(model_of(values, np.ones((len(values), 1)), [people], images, ones, ones), (CELL, BLOCK))
    return (
        share_estimate(model, lambda at: float(at[IMAGE] / at.sum()), about),
        share_estimate(model, lambda at: float(at[IMAGE] / (at[IMAGE] + at[RESIDUAL])), about),
    )


def _no_components(values: Floats, images: Ints, n_images: int, n_coders: int) -> str:
    if n_images < FEWEST:
        return too_few(n_images)
    if n_coders > MOST_ANNOTATORS:
        return f"more than {MOST_ANNOTATORS} annotators"
    away = values - (np.bincount(images, values) / np.bincount(images))[images]
    return NEVER_DIFFER if np.abs(away).max() < _NOTHING else ""


def one_way(values: Floats, codes: Ints, n_coders: int) -> tuple[Estimate, Estimate, int]:
    """Return ICC(1,1), ICC(1,k), and k, the most values of an image; unbalanced, by k0.

    `values` and `codes` are (n,): a value and the code of its image; images with one value are left out.
    """
    codes = np.unique(codes, return_inverse=True)[1]
    n = np.bincount(codes) if len(codes) else np.zeros(0, dtype=np.int64)
    kept = n[codes] >= 2 if len(codes) else np.zeros(0, dtype=np.bool_)
    codes, values = np.unique(codes[kept], return_inverse=True)[1], values[kept]
    n = np.bincount(codes) if len(codes) else n[:0]
    total = np.bincount(codes, values, minlength=len(n))
    squares = np.bincount(codes, values**2, minlength=len(n))
    sums = np.column_stack([np.ones(len(n)), n, n**2, total, squares, total**2 / np.maximum(n, 1)])
    most = int(n.max(initial=0))

    def statistic(totals: Floats) -> Floats:
        single = of_totals(totals)
        below = 1 + (most - 1) * single
        with np.errstate(divide="ignore", invalid="ignore"):
            # At the least possible value of a single rating, -1 / (k - 1), that of the mean is infinite.
            mean = np.where(np.abs(below) > _NOTHING, most * single / below, np.nan)
        return np.stack([single, mean], axis=-1)

    with np.errstate(divide="ignore", invalid="ignore"):
        is_defined = bool(np.isfinite(of_totals(sums.sum(axis=0))))
    undefined = [NO_VALUE, NO_MEAN if is_defined else NO_VALUE]
    one, several = estimated(sums, statistic, n_coders=n_coders, undefined=undefined, highest=1.0)
    return one, several, most


def of_totals(totals: Floats) -> Floats:
    """Return ICC(1,1) of (…, 6) totals over images: 1, n, n², Σx, Σx² and (Σx)²/n."""
    m, n, n2, total, squares, between = np.moveaxis(totals, -1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        msb = (between - total**2 / n) / (m - 1)
        msw = (squares - between) / (n - m)
        k0 = (n - n2 / n) / (m - 1)
        return np.asarray((msb - msw) / (msb + (k0 - 1) * msw))


def of_means(single: Estimate, k: int) -> Estimate:
    """Return the correlation of means of k ratings, from that of one, which is not negative."""

    def stepped(value: float | None) -> float | None:
        return None if value is None else k * value / (1 + (k - 1) * value)

    value, low, high = map(stepped, (single["value"], single["low"], single["high"]))
    return Estimate(**{**single, "value": value, "low": low, "high": high})

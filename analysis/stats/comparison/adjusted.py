"""Comparison of generators adjusted for the annotators' leniency.

Least squares of score = generator + annotator over all annotations, and beside it score = generator over the
same annotations with the same standard errors: between the two only leniency differs. Adjudicated values
enter neither, because no single annotator made them. Annotations of one image are not
independent, so standard errors are clustered by image: the sandwich of K.-Y. Liang and S. L. Zeger
("Longitudinal data analysis using generalized linear models", Biometrika 73 (1986) 13-22) with the usual
small-sample factor C/(C − 1) · (n − 1)/(n − k) and t with C − 1 degrees of freedom (A. C. Cameron,
D. L. Miller, "A practitioner's guide to cluster-robust inference", Journal of Human Resources 50 (2015)
317-372), for C images, n annotations and k coefficients.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

import numpy as np
from scipy import stats

from analysis.stats.comparison.blocked import additive_fit
from analysis.stats.comparison.generators import corrected
from analysis.stats.comparison.welch import Test, t_test, untested
from analysis.stats.estimates import CONFIDENCE, Estimate, estimate, refused
from analysis.stats.frames import Floats, Ints, RatingsFrame
from analysis.stats.means import SAME

CLUSTERED: Final = "least squares, clustered by image"


@dataclass(frozen=True)
class Fit:
    """`means` (G,): each generator as all annotators together would score it; `covariance` (G, G).

    `df` are the degrees of freedom of t, `images` the number of clusters.
    """

    means: Floats
    covariance: Floats
    df: int
    images: int


def adjusted_for_annotator(frame: RatingsFrame) -> dict[str, Any]:
    """Return adjusted means of the generators and their pairwise tests, or the reason for none.

    Each pair has under `unadjusted` the same test of the same annotations without adjustment; p is
    Holm-corrected within each of the two sets.
    """
    labels, annotators = frame.labels("generator"), len(frame.labels("annotator"))
    reason, fit = _attempt(frame, len(labels), annotators)
    if fit is None:
        return {"refused": reason, "annotators": annotators, "means": [], "pairs": []}
    means = [{"generator": label, "mean": _mean(fit, i, annotators)} for i, label in enumerate(labels)]
    pairs = [
        {"a": labels[i], "b": labels[j], **_compared(fit, i, j, annotators)}
        for i, j in combinations(range(len(labels)), 2)
    ]
    for pair, raw in zip(corrected(pairs), _unadjusted(frame, len(pairs), annotators), strict=True):
        pair["unadjusted"] = raw
    return {"refused": None, "annotators": annotators, "means": means, "pairs": pairs}


def _unadjusted(frame: RatingsFrame, pairs: int, annotators: int) -> list[Test]:
    """Return the tests of the model without annotators, as if all were one."""
    nobody = np.zeros(len(frame), dtype=np.int64)
    reason, fit = fitted(frame.scores, frame.codes("generator"), nobody, frame.image_codes)
    if fit is None:
        return corrected([untested(reason or "", method=CLUSTERED) for _ in range(pairs)])
    every_two = combinations(range(len(fit.means)), 2)
    return corrected([_compared(fit, i, j, annotators) for i, j in every_two])


def _attempt(frame: RatingsFrame, generators: int, annotators: int) -> tuple[str | None, Fit | None]:
    if generators < 2:
        return "fewer than 2 generators", None
    if annotators < 2:
        return "one annotator: there is no leniency to adjust for", None
    return fitted(frame.scores, frame.codes("generator"), frame.codes("annotator"), frame.image_codes)


def fitted(scores: Floats, generators: Ints, annotators: Ints, images: Ints) -> tuple[str | None, Fit | None]:
    """Return the model over (n,) annotations or why it has no solution; annotators are eliminated first."""
    found = additive_fit(scores, generators, annotators)
    if found is None:
        return "some generators were judged by annotators who judged no other", None
    n, k, clusters = len(scores), sum(found.counts.shape) - 1, int(images.max()) + 1
    if n <= k or clusters < 2:
        return "too few annotations for this many generators and annotators", None
    if np.abs(found.rest).max() <= SAME:
        return "the scores do not vary within generator and annotator", None
    weight = found.counts.sum(axis=0) / n
    means = found.effects + float(weight @ found.block_effects) + float(scores.mean())
    # One row per mean: the influence of each annotation's residual, summed within images.
    influence = _influence(found.inverse, found.share, weight, found.counts)
    per_image = _by_image(influence, found.rest, generators, annotators, images, clusters)
    factor = clusters / (clusters - 1) * (n - 1) / (n - k)
    return None, Fit(means, factor * per_image.T @ per_image, clusters - 1, clusters)


def _influence(inverse: Floats, share: Floats, weight: Floats, counts: Floats) -> Floats:
    """Return (G, G, A): d mean[i] / d score of an annotation of generator g by annotator a."""
    # effects = inverse (generator sums − share · annotator sums)
    of_effects = inverse[:, :, None] - (inverse @ share)[:, None, :]
    # mean leniency = Σ_a weight_a (annotator sum_a − Σ_g counts_ga effect_g) / n_a
    size = counts.sum(axis=0)
    pull = (counts / size) @ weight
    of_leniency = weight / size - np.einsum("h,hga->ga", pull, of_effects)
    return np.asarray(of_effects + of_leniency)


def _by_image(
    influence: Floats, rest: Floats, generators: Ints, annotators: Ints, images: Ints, clusters: int
) -> Floats:
    """Return (images, G): what each image contributes to the error of each mean."""
    columns = [
        np.bincount(images, row[generators, annotators] * rest, minlength=clusters) for row in influence
    ]
    return np.stack(columns, axis=1)


def _mean(fit: Fit, i: int, annotators: int) -> Estimate:
    value, variance = float(fit.means[i]), float(fit.covariance[i, i])
    about = {"n_units": fit.images, "n_coders": annotators}
    if variance <= 0:
        return refused("no variance", value=value, method=CLUSTERED, **about)
    half = float(stats.t.ppf((1 + CONFIDENCE) / 2, fit.df)) * variance**0.5
    return estimate(value, value - half, value + half, method=CLUSTERED, **about)


def _compared(fit: Fit, i: int, j: int, annotators: int) -> Test:
    gap = float(fit.means[i] - fit.means[j])
    variance = float(fit.covariance[i, i] + fit.covariance[j, j] - 2 * fit.covariance[i, j])
    units = {"n_units": fit.images, "n_coders": annotators}
    if variance <= SAME**2:
        return untested("no variance", value=gap, method=CLUSTERED, **units)
    return t_test(gap, variance**0.5, fit.df, method=CLUSTERED, **units)

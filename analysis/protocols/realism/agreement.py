"""Agreement of the realism protocol: three alphas, and the intraclass correlations of the ratings.

Ratings are compared on images that are not invalid; valid and invalid on all images.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import numpy as np

from analysis.protocols.realism.images import RatedImages
from analysis.stats.bootstrap_intervals import estimated
from analysis.stats.estimates import Estimate
from analysis.stats.frames import Floats
from analysis.stats.generic.agreement import VALUES, agreement
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
    one, several, raters = correlations(RatedImages(frame.at_random))
    further = [(f"{RATING.title}: ICC(1,1), one rating", one)]
    if raters > 1:
        further.append((f"{RATING.title}: ICC(1,k), mean of {raters} ratings", several))
    return agreement(compared, replace(VALUES, further=lambda _: further), steps)


def correlations(images: RatedImages) -> tuple[Estimate, Estimate, int]:
    """Return ICC(1,1), ICC(1,k), and k, the most ratings of an image; unbalanced, by k0.

    Sources: P. E. Shrout and J. L. Fleiss (1979), Intraclass correlations, Psychological Bulletin 86,
    420-428; k0 as in S. R. Searle, G. Casella and C. E. McCulloch (1992), Variance Components, section 3.6;
    ICC(1,k) from ICC(1,1) by the Spearman-Brown formula.
    """
    rows = np.flatnonzero(~np.isnan(images.counted))
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

"""Intervals of alpha for other annotators: images and annotators are both a sample.

Leaving out one image after the other gives the variance V of alpha over images; leaving out one annotator
after the other, with the pairs they belong to, gives J. What is due to a single image belongs to two
annotators, so J contains it twice and V + (J − 2 V) = J − V is the variance over both, at least V. This is
the dyadic-robust variance of M. Fafchamps, F. Gubert, "The formation of risk sharing networks", Journal of
Development Economics 83 (2007) 326-350, with the jackknife's deletions for its derivatives. Student's t has
one degree of freedom fewer than there are annotators.

Resampling annotators and images at once (A. B. Owen, "The pigeonhole bootstrap", Annals of Applied Statistics
1 (2007) 386-411) counts what is due to single images several times, because alpha compares pairs: its
intervals contained the true value in 99 to 100% of simulated studies.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from scipy import stats

from analysis.stats.agreement.point_estimates import Point
from analysis.stats.agreement.values import Units, Values, pair_rows
from analysis.stats.agreement.variables import (
    ADJUSTED_SCORE,
    BANDS_ALL,
    BANDS_SHARED,
    COLUMNS,
    COMPUTED,
    Variable,
    alphas,
)
from analysis.stats.bands import UNKNOWN
from analysis.stats.bootstrap_intervals import (
    FEWEST,
    HANGS_ON_ONE,
    NEVER_VARIES,
    blocked,
    standard_errors,
    too_few,
)
from analysis.stats.estimates import CONFIDENCE, Estimate, estimate, refused
from analysis.stats.frames import Bools, Floats, Ints, RatingsFrame
from analysis.stats.pairs import SharedImages

# With three annotators, Student's t alone makes intervals three times as long as over images.
FEWEST_ANNOTATORS: Final = 4
METHOD: Final = "two-way jackknife over images and annotators"
ONE_PERSON: Final = "it hangs on a single annotator: without them there is no value"
CHUNK: Final = 50_000


def too_few_annotators(annotators: int) -> str:
    """Return the reason for no interval over so few annotators."""
    return f"too few: {annotators} annotators; at least {FEWEST_ANNOTATORS} are needed"


def over_annotators(
    frame: RatingsFrame, judged: Values, shared: SharedImages, pooled: Units, points: dict[Variable, Point]
) -> dict[Variable, Estimate]:
    """Return pooled alphas with intervals for other images and other annotators like these."""
    people = np.unique(judged.annotators[np.concatenate([shared.first, shared.second])])
    about = {"n_units": len(pooled.sums), "n_coders": len(people)}
    reason = ""
    if len(pooled.sums) < FEWEST:
        reason = too_few(len(pooled.sums))
    elif len(people) < FEWEST_ANNOTATORS:
        reason = too_few_annotators(len(people))
    if reason:
        return {name: refused(reason, method=METHOD, **about) for name in COMPUTED}
    of_images = standard_errors(blocked(pooled.sums), alphas) ** 2
    total = pooled.sums.sum(axis=0)
    without = alphas(total - _of_annotators(frame, judged, shared)[people])
    spread = ((without - without.mean(axis=0)) ** 2).sum(axis=0)
    of_annotators = (len(people) - 1) / len(people) * spread
    errors = np.sqrt(np.maximum(of_images, of_annotators - of_images))
    reach = float(stats.t.ppf((1 + CONFIDENCE) / 2, len(people) - 1)) * errors
    reasons = [_problem(*pair) for pair in zip(of_images.tolist(), of_annotators.tolist(), strict=True)]
    found: dict[Variable, Estimate] = {}
    for name, half, why in zip(COMPUTED, reach.tolist(), reasons, strict=True):
        value = points[name].value
        if np.isnan(value):
            found[name] = refused("no value", method=METHOD, **about)
        elif why:
            found[name] = refused(why, value=value, method=METHOD, **about)
        else:
            found[name] = estimate(value, value - half, min(value + half, 1.0), method=METHOD, **about)
    return found


def _problem(of_images: float, of_annotators: float) -> str:
    if np.isnan(of_images):
        return HANGS_ON_ONE
    if np.isnan(of_annotators):
        return ONE_PERSON
    return "" if max(of_images, of_annotators) > 1e-24 else NEVER_VARIES


def _of_annotators(frame: RatingsFrame, judged: Values, shared: SharedImages) -> Floats:
    """Return (annotators, COLUMNS): what each annotator's pairs contribute to the pooled sums.

    A pair of an image with n annotators contributes with 1 / (n − 1), n counted for each variable.
    """
    size = len(frame.labels("annotator"))
    found = np.zeros((size, COLUMNS))
    shares = _shares(frame, judged)
    for start in range(0, len(shared.first), CHUNK):
        first, second = (side[start : start + CHUNK] for side in (shared.first, shared.second))
        bands = judged.shared_bands
        rows = pair_rows(judged, first, second, (bands[first], bands[second]))
        rows *= shares[frame.image_codes[first]]
        for side in (first, second):
            people = judged.annotators[side]
            for column in range(COLUMNS):
                found[:, column] += np.bincount(people, rows[:, column], minlength=size)
    return found


def _shares(frame: RatingsFrame, judged: Values) -> Floats:
    """Return (images, COLUMNS): 1 over the number of further annotators with a value of the variable."""
    images = frame.image_codes
    size = int(images.max(initial=-1)) + 1

    def share(known: Bools | None = None) -> Floats:
        of: Ints = images if known is None else images[known]
        return 1 / np.maximum(np.bincount(of, minlength=size) - 1, 1)

    found = np.repeat(share()[:, None], COLUMNS, axis=1)
    found[:, ADJUSTED_SCORE] = share(~np.isnan(judged.adjusted))[:, None]
    found[:, BANDS_SHARED] = share(judged.shared_bands != UNKNOWN)[:, None]
    found[:, BANDS_ALL] = share(judged.all_bands != UNKNOWN)[:, None]
    return found

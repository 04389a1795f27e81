"""How precise alpha is: its interval for other annotators, and the images that a narrow interval needs.

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

import math
from typing import Any, Final, TypedDict

import numpy as np
import numpy.typing as npt
from scipy import stats

from analysis.stats.bootstrap_intervals import (
    HANGS_ON_ONE,
    NEVER_VARIES,
    blocked,
    effective_df,
    left_out,
    standard_errors,
)
from analysis.stats.estimates import CONFIDENCE, Estimate, estimate, refused
from analysis.stats.fewest_images import FEWEST, too_few
from analysis.stats.frames import Floats, Ints
from analysis.stats.generic.alphas import AlphaSums, sums_of
from scoring.protocol import Variable

# With three annotators, Student's t alone makes intervals three times as long as over images.
FEWEST_ANNOTATORS: Final = 4
METHOD: Final = "two-way jackknife over images and annotators"
ONE_PERSON: Final = "it hangs on a single annotator: without them there is no value"
CHUNK: Final = 50_000
WIDTH: Final = 0.10
FEWEST_TO_PLAN: Final = 40
"""Doubly annotated images below which no number of images is given: it would rest on too few."""
WIDEST: Final = 10
"""Times the lower limit beyond which the upper limit says nothing."""


class Needed(TypedDict):
    """The doubly annotated images that an interval of ± `width` needs, with a 95% interval."""

    width: float
    needed: int
    low: int
    high: int


def over_annotators(
    value: float | None, variable: Variable, values: npt.NDArray[Any], unit: Ints, annotators: Ints
) -> Estimate:
    """Return alpha with its interval for other images and other annotators like these.

    `value` is the alpha of the (ratings, c) `values`; `unit` (ratings,) is the sorted index of each rating's
    image, `annotators` (ratings,) the code of who gave it.
    """
    people = np.unique(annotators, return_inverse=True)[1]
    size, units = int(people.max(initial=-1)) + 1, int(unit[-1]) + 1 if len(unit) else 0
    about = {"n_units": units, "n_coders": size}
    if units < FEWEST:
        return refused(too_few(units), method=METHOD, **about)
    if size < FEWEST_ANNOTATORS:
        few = f"too few: {size} annotators; at least {FEWEST_ANNOTATORS} are needed"
        return refused(few, method=METHOD, **about)
    if value is None:
        return refused("no value", method=METHOD, **about)
    sums = sums_of(variable, values)
    rows = sums.rows(values, unit)
    of_images = float(standard_errors(blocked(rows), sums.alphas)[0]) ** 2
    without = sums.alphas(rows.sum(axis=0) - _of_annotators(sums, values, unit, people))[:, 0]
    of_annotators = (size - 1) / size * float(((without - without.mean()) ** 2).sum())
    if reason := _problem(of_images, of_annotators):
        return refused(reason, value=value, method=METHOD, **about)
    error = math.sqrt(max(of_images, of_annotators - of_images))
    half = float(stats.t.ppf((1 + CONFIDENCE) / 2, size - 1)) * error
    return estimate(value, value - half, min(value + half, 1.0), method=METHOD, **about)


def _problem(of_images: float, of_annotators: float) -> str:
    if math.isnan(of_images):
        return HANGS_ON_ONE
    if math.isnan(of_annotators):
        return ONE_PERSON
    return "" if max(of_images, of_annotators) > 1e-24 else NEVER_VARIES


def _of_annotators(sums: AlphaSums, values: npt.NDArray[Any], unit: Ints, people: Ints) -> Floats:
    """Return (annotators, k): what each annotator's pairs contribute to the pooled sums.

    A pair of an image with n annotators contributes with 1 / (n − 1).
    """
    sizes = np.bincount(unit)
    totals = np.zeros((int(people.max()) + 1, 0))
    # The ratings of an image stand together: those of a pair are some places apart.
    for apart in range(1, int(sizes.max())):
        first = np.flatnonzero(unit[:-apart] == unit[apart:])
        for start in range(0, len(first), CHUNK):
            starts = first[start : start + CHUNK]
            both = values[np.column_stack([starts, starts + apart]).ravel()]
            rows = sums.rows(both, np.repeat(np.arange(len(starts)), 2)) / (sizes[unit[starts]] - 1)[:, None]
            totals = totals if totals.shape[1] else np.zeros((len(totals), rows.shape[1]))
            for side in (starts, starts + apart):
                for column, part in enumerate(rows.T):
                    totals[:, column] += np.bincount(people[side], part, minlength=len(totals))
    return totals


def images_needed(variable: Variable, values: npt.NDArray[Any], unit: Ints) -> Needed | None:
    """Return the images needed for an interval of alpha of ± `WIDTH`; None where a number says nothing.

    The jackknife standard error s of alpha falls with the square root of the number of images n, if further
    images and annotators resemble those so far: (z · s · √n / width)² images, rounded up. `low` and `high`
    follow from the 95% interval of s², from the χ² distribution with half of `effective_df` (half, because
    the jackknife's values are themselves estimates). None below `FEWEST_TO_PLAN` images of the (ratings, c)
    `values`, if the images suffice, if alpha does not vary, and if `high` is more than `WIDEST` times `low`.
    """
    images = int(unit[-1]) + 1 if len(unit) else 0
    if images < FEWEST_TO_PLAN:
        return None
    sums = sums_of(variable, values)
    few = blocked(sums.rows(values, unit))
    error = float(standard_errors(few, sums.alphas)[0])
    if math.isnan(error) or error <= 1e-12:
        return None
    df = float(effective_df(left_out(few, sums.alphas))[0]) / 2
    sides = ((1 + CONFIDENCE) / 2, (1 - CONFIDENCE) / 2)
    low, high = (error * math.sqrt(df / float(stats.chi2.ppf(side, df))) for side in sides)
    needed, least, most = (_images(spread, images) for spread in (error, low, high))
    if needed <= images or most > WIDEST * least:
        return None
    return Needed(width=WIDTH, needed=needed, low=least, high=most)


def _images(error: float, images: int) -> int:
    z = float(stats.norm.ppf((1 + CONFIDENCE) / 2))
    return math.ceil((z * error / WIDTH) ** 2 * images)

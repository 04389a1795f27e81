"""Which of two stages better separates the generators on the same images.

η² = SS between / SS total, the share of the variance between images that lies between generators
(the correlation ratio; J. Cohen, "Statistical Power Analysis for the Behavioral Sciences", 2nd edition,
1988, section 8.2). It rises with the number of groups and with fewer images, equally in both stages, so the
difference on the same images is decisive.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from scipy import stats

from analysis.stats.bootstrap_intervals import NONE, estimated
from analysis.stats.estimates import CONFIDENCE, Estimate, estimate, refused
from analysis.stats.frames import Floats, Ints

CLOPPER_PEARSON: Final = "Clopper-Pearson"
NO_SPREAD: Final = "all values are equal"
ONE_GENERATOR: Final = "all images are of one generator"
NOTHING_SEEN: Final = "no image was looked at"
ROUNDING: Final = 1e-13


def separation(first: Floats, second: Floats, generator: Ints, n_coders: int) -> list[Estimate]:
    """Return η² of the first values, of the second, and their difference, each with a 95% interval.

    All are (m,), one entry per image; `generator` codes start at 0. Intervals use the same resamples of whole
    images for all three.
    """
    groups = int(generator.max(initial=0)) + 1
    if len(np.unique(generator)) < 2:
        return [refused(ONE_GENERATOR, n_units=len(first), n_coders=n_coders, method=NONE)] * 3
    belongs = (generator[:, None] == np.arange(groups)).astype(np.float64)
    # Remove offsets, which only lose digits.
    centred = [values - values.mean() for values in (first, second)]
    rows = np.hstack(
        [
            belongs,
            *(
                np.hstack([belongs * centred_values[:, None], (centred_values * centred_values)[:, None]])
                for centred_values in centred
            ),
        ]
    )

    def statistic(totals: Floats) -> Floats:
        n, sums = totals[..., :groups], totals[..., groups:]
        one, two = eta_squared(n, sums[..., : groups + 1]), eta_squared(n, sums[..., groups + 1 :])
        return np.stack([one, two, two - one], axis=-1)

    return estimated(
        rows,
        statistic,
        n_coders=n_coders,
        undefined=NO_SPREAD,
        lowest=np.array([0.0, 0.0, -1.0]),
        highest=np.array([1.0, 1.0, 1.0]),
    )


def eta_squared(n: Floats, sums: Floats) -> Floats:
    """Return (…,): η² from (…, g) images per group and (…, g + 1) group sums, then the sum of all squares.

    NaN if all values are equal. A group without images, as in some resamples, adds nothing.
    """
    of_groups, squares = sums[..., :-1], sums[..., -1]
    with np.errstate(all="ignore"):
        everything = of_groups.sum(axis=-1) ** 2 / n.sum(axis=-1)
        between = np.where(n > 0, of_groups**2 / n, 0.0).sum(axis=-1) - everything
        total = squares - everything
        return np.asarray(np.where(total > ROUNDING * squares, between / total, np.nan))


def rate(found: int, looked_at: int, nothing: str = NOTHING_SEEN) -> Estimate:
    """Return a share of images with its exact 95% interval; `nothing` says why there is none.

    C. J. Clopper, E. S. Pearson, "The use of confidence or fiducial limits illustrated in the case of the
    binomial", Biometrika 26 (1934) 404-413. The images were drawn without replacement, so the interval is
    conservative.
    """
    if not looked_at:
        return refused(nothing, method=CLOPPER_PEARSON)
    tail = (1 - CONFIDENCE) / 2
    low = stats.beta.ppf(tail, found, looked_at - found + 1) if found else 0.0
    high = stats.beta.ppf(1 - tail, found + 1, looked_at - found) if found < looked_at else 1.0
    return estimate(found / looked_at, low, high, n_units=looked_at, method=CLOPPER_PEARSON)

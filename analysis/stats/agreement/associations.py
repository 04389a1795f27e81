"""How two annotators' values of an image go together: correlations of scores, and kappa of bands."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from scipy import stats

from analysis.stats.bands import FEWEST_FOR_BANDS, caution, too_few_scores
from analysis.stats.bootstrap_intervals import FEWEST, NONE, estimated, in_blocks, too_few
from analysis.stats.estimates import CautionedEstimate, Estimate, refused
from analysis.stats.frames import Floats, Ints, RatingsFrame
from analysis.stats.pairs import SharedImages
from analysis.stats.rank_correlation import spearman, without_noise

CORRELATIONS: Final = ("pearson", "spearman")
NO_SPREAD: Final = "all scores are equal"
ONE_BAND: Final = "all scores are in one band"
# What is left of a sum of squares is rounding below this share of it.
_ROUNDING: Final = 1e-12


def correlations(frame: RatingsFrame, shared: SharedImages) -> dict[str, Any]:
    """Return the correlations over all pairs of annotators, the first by code against the second.

    `pearson` and `spearman` are numbers or None; `correlations` holds both with intervals over images.
    """
    first, second = frame.scores[shared.first], frame.scores[shared.second]
    if len(first) < FEWEST or np.ptp(first) == 0 or np.ptp(second) == 0:
        why = too_few(len(first)) if len(first) < FEWEST else NO_SPREAD
        nothing = {name: refused(why, method=NONE) for name in CORRELATIONS}
        return {**dict.fromkeys(CORRELATIONS), "correlations": nothing}
    images = np.unique(frame.image_codes[shared.first], return_inverse=True)[1]
    n_coders = len({name for pair in shared.names for name in pair})
    ranks = stats.rankdata(without_noise(first)), stats.rankdata(without_noise(second))
    return {
        "pearson": float(np.corrcoef(first, second)[0, 1]),
        "spearman": float(np.corrcoef(*ranks)[0, 1]),
        "correlations": {
            "pearson": _pearson(first, second, images, n_coders),
            "spearman": spearman(first, second, n_coders, images),
        },
    }


def _pearson(x: Floats, y: Floats, images: Ints, n_coders: int) -> Estimate:
    """Return Pearson's correlation of (n,) values that vary, with an interval over images."""
    n = int(images.max()) + 1
    # Centred, so that an offset costs no digits.
    x, y = x - x.mean(), y - y.mean()
    columns, block = (np.ones(len(x)), x, y, x * x, y * y, x * y), in_blocks(n)[images]
    rows = np.stack([np.bincount(block, column) for column in columns], axis=1).astype(np.float64)
    (found,) = estimated(
        rows, _of_sums, n_coders=n_coders, undefined=NO_SPREAD, n_units=n, lowest=-1.0, highest=1.0
    )
    return found


def _of_sums(totals: Floats) -> Floats:
    """Return (…, 1): Pearson's correlation from (…, 6) totals over images; NaN where either is constant."""
    n, x, y, xx, yy, xy = np.moveaxis(totals, -1, 0)
    with np.errstate(all="ignore"):
        spread = _left(xx, x, n) * _left(yy, y, n)
        return np.asarray((xy - x * y / n) / np.sqrt(spread))[..., None]


def _left(squares: Floats, total: Floats, n: Floats) -> Floats:
    left = squares - total * total / n
    return np.where(left > _ROUNDING * squares, left, np.nan)


def weighted_kappa(first: Ints, second: Ints) -> Estimate:
    """Return Cohen's kappa with quadratic weights of two annotators' bands, (n,) each, over n images.

    J. Cohen, "Weighted kappa", Psychological Bulletin 70 (1968) 213-220. With a and b the places of the
    bands, it is 1 − n Σ(a − b)² / (n Σ(a² + b²) − 2 Σa Σb). Bands are held while images are resampled; cut
    from few scores, they give a caution or no number.
    """
    n = len(first)
    if n < FEWEST_FOR_BANDS:
        return refused(too_few_scores(n), n_units=n, n_coders=2, method=NONE)
    rows = np.stack([np.ones(n), first, second, first**2 + second**2, (first - second) ** 2], axis=1)
    (found,) = estimated(rows, _kappa, n_coders=2, undefined=ONE_BAND, lowest=-1.0, highest=1.0)
    few = caution(n) if found["value"] is not None else None
    return CautionedEstimate(**found, caution=few) if few else found


def _kappa(totals: Floats) -> Floats:
    """Return (…, 1): kappa from (…, 5) totals over images; NaN if all are in one band."""
    n, a, b, squares, gaps = np.moveaxis(totals, -1, 0)
    # Sums of small whole numbers are exact.
    expected = n * squares - 2 * a * b
    return np.asarray(1 - n * gaps / np.where(expected > 0, expected, np.nan))[..., None]

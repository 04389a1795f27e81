"""Annotations in the forms that agreement needs, and their sums over images."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from analysis.stats.agreement.alpha import coincidences, interval_sums
from analysis.stats.agreement.variables import (
    ADJUSTED_SCORE,
    BANDS_ALL,
    BANDS_SHARED,
    COLUMNS,
    MARKED,
    SCORE,
    N,
)
from analysis.stats.bands import BANDS, UNKNOWN, certain_bands
from analysis.stats.frames import Bools, Floats, Ints, RatingsFrame

# With fewer scores, mean and spread of a person are unreliable.
FEWEST_FOR_LENIENCY: Final = 5
# (bands + 1, bands): the last row, index `UNKNOWN`, counts nothing.
_ONE_HOT: Final = np.eye(len(BANDS) + 1)[:, : len(BANDS)]


@dataclass(frozen=True)
class Values:
    """Per annotation of a frame, (n,) each.

    `score` is centred on the mean of the pairable annotations, so that an offset costs no digits.
    `adjusted` is the annotator's z-score, NaN where `FEWEST_FOR_LENIENCY` or the spread is missing.
    `pairable`: another annotator judged the image too. `shared_bands`, only of pairable annotations, are
    banded within the annotator's pairable scores, `all_bands` within all of them, both `UNKNOWN` where these
    are too few; `shared_sizes` and `all_sizes` say how many they are. `cells` is (n, 25).
    """

    score: Floats
    adjusted: Floats
    pairable: Bools
    shared_bands: Ints
    all_bands: Ints
    shared_sizes: Ints
    all_sizes: Ints
    cells: Bools
    annotators: Ints


def values_of(frame: RatingsFrame) -> Values:
    """Return the annotations of a frame, ready to sum by image."""
    images, annotators, scores = frame.image_codes, frame.codes("annotator"), frame.scores
    pairable = np.bincount(images)[images] >= 2 if len(images) else np.zeros(0, dtype=np.bool_)
    bands, sizes = np.full((2, len(frame)), UNKNOWN)
    bands[pairable], sizes[pairable] = certain_bands(scores[pairable], annotators[pairable])
    all_bands, all_sizes = certain_bands(scores, annotators)
    return Values(
        score=scores - (scores[pairable].mean() if pairable.any() else 0.0),
        adjusted=z_scores(scores, annotators),
        pairable=pairable,
        shared_bands=bands,
        all_bands=all_bands,
        shared_sizes=sizes,
        all_sizes=all_sizes,
        cells=frame.cells,
        annotators=annotators,
    )


def z_scores(scores: Floats, annotators: Ints) -> Floats:
    """Return (n,): (score - mean) / sample standard deviation of its annotator's scores; NaN without one."""
    if not len(scores):
        return np.zeros(0)
    n = np.bincount(annotators).astype(np.float64)
    with np.errstate(all="ignore"):
        mean = np.bincount(annotators, scores) / n
        deviations = scores - mean[annotators]
        spread = np.sqrt(np.bincount(annotators, deviations**2) / (n - 1))
        usable = (n >= FEWEST_FOR_LENIENCY) & (spread > 1e-9)
        return np.asarray(deviations / np.where(usable, spread, np.nan)[annotators])


@dataclass(frozen=True)
class Units:
    """Annotations by unit, at least two per unit, and the sums for alphas.

    `unit` (rows,) is the index of each annotation's unit, without gaps from 0; `score` and `adjusted`
    (rows,) are as in `Values`; `n` (units,) is the number of annotations and `marked` (units, 25) how
    many of them marked each cell; `sums` is (units, COLUMNS).
    """

    unit: Ints
    score: Floats
    adjusted: Floats
    n: Ints
    marked: Ints
    sums: Floats


def units_of(judged: Values, rows: Ints, unit: Ints) -> Units:
    """Return these rows of the frame by unit; `unit` (rows,) is sorted."""
    n = np.bincount(unit)
    marked = marked_by(judged.cells[rows], n)
    sums = _unit_rows(judged, rows, unit, n, marked)
    return Units(unit, judged.score[rows], judged.adjusted[rows], n, marked, sums)


def units_of_pair(judged: Values, first: Ints, second: Ints, sums: Floats) -> Units:
    """Return the images of two annotators as units, with `sums` from `pair_rows`."""
    rows = np.stack([first, second], axis=1).ravel()
    marked = judged.cells[first].astype(np.int64) + judged.cells[second]
    n = np.full(len(first), 2, dtype=np.int64)
    unit = np.repeat(np.arange(len(first)), 2)
    return Units(unit, judged.score[rows], judged.adjusted[rows], n, marked, sums)


def _unit_rows(judged: Values, rows: Ints, units: Ints, n: Ints, marked: Ints) -> Floats:
    """Return (units, COLUMNS): sums over each unit's annotations."""
    found = np.zeros((len(n), COLUMNS))
    found[:, N] = n
    found[:, SCORE] = interval_sums(judged.score[rows], units, n)
    known = ~np.isnan(judged.adjusted[rows])
    known &= np.bincount(units, known, minlength=len(n))[units] >= 2
    having = np.bincount(units, known, minlength=len(n))
    found[:, ADJUSTED_SCORE.start] = having
    found[:, ADJUSTED_SCORE.start + 1 : ADJUSTED_SCORE.stop] = interval_sums(
        judged.adjusted[rows][known], units[known], having
    )
    found[:, BANDS_SHARED] = coincidences(_counts(judged.shared_bands[rows], units, len(n)))
    found[:, BANDS_ALL] = coincidences(_counts(judged.all_bands[rows], units, len(n)))
    found[:, MARKED.start] = marked.sum(axis=1)
    found[:, MARKED.start + 1] = disagreeing(marked, n[:, None]).sum(axis=1)
    return found


def marked_by(cells: Bools, n: Ints) -> Ints:
    """Return (units, 25): how many marked each cell; `cells` (rows, 25) are sorted by unit, `n` per unit."""
    if not len(n):
        return np.zeros((0, cells.shape[1]), dtype=np.int64)
    return np.asarray(np.add.reduceat(cells, np.cumsum(n) - n, axis=0, dtype=np.int64))


def disagreeing(marked: Ints, n: Ints) -> Floats:
    """Return the observed disagreement of n yes/no ratings with k yes: 2 k (n - k) / (n - 1)."""
    return np.asarray(2.0 * marked * (n - marked) / np.maximum(n - 1, 1))


def _counts(bands: Ints, units: Ints, n_units: int) -> Floats:
    known = bands != UNKNOWN
    flat = np.bincount((units * len(BANDS) + bands)[known], minlength=n_units * len(BANDS))
    return flat.reshape(n_units, len(BANDS)).astype(np.float64)


def pair_rows(judged: Values, first: Ints, second: Ints, bands: tuple[Ints, Ints]) -> Floats:
    """Return (images, COLUMNS): sums over two annotators, `first` and `second` rows of the frame.

    `bands` are within the shared images.
    """
    found = np.zeros((len(first), COLUMNS))
    found[:, N] = 2
    found[:, SCORE] = _between(judged.score[first], judged.score[second])
    x, y = judged.adjusted[first], judged.adjusted[second]
    known = ~np.isnan(x + y)
    found[known, ADJUSTED_SCORE.start] = 2
    found[known, ADJUSTED_SCORE.start + 1 : ADJUSTED_SCORE.stop] = _between(x[known], y[known])
    found[:, BANDS_SHARED] = coincidences(_ONE_HOT[bands[0]] + _ONE_HOT[bands[1]])
    all_bands = judged.all_bands
    found[:, BANDS_ALL] = coincidences(_ONE_HOT[all_bands[first]] + _ONE_HOT[all_bands[second]])
    a, b = judged.cells[first], judged.cells[second]
    found[:, MARKED.start] = a.sum(axis=1) + b.sum(axis=1)
    found[:, MARKED.start + 1] = 2 * (a ^ b).sum(axis=1)
    return found


def _between(x: Floats, y: Floats) -> Floats:
    return np.stack([x + y, x * x + y * y, 2 * (x - y) ** 2], axis=1)

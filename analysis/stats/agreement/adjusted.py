"""Intervals of the alpha that is adjusted for leniency, and of what the adjustment changes.

Every resample of the images re-estimates each annotator's mean and spread. With these held fixed, intervals
of the adjusted alpha are too short, and the adjustment seems to change agreement where annotators are equally
lenient (docs/reference/statistics.md, coverage).
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from analysis.stats.agreement.alpha import alpha_from
from analysis.stats.agreement.groups import NO_SPREAD
from analysis.stats.agreement.values import Units, Values
from analysis.stats.agreement.variables import SCORE, N, interval
from analysis.stats.bootstrap_intervals import BLOCKS, BOOTSTRAP_FROM, estimated, in_blocks
from analysis.stats.estimates import Estimate
from analysis.stats.frames import Floats, Ints, RatingsFrame
from analysis.stats.pairs import SharedImages

# Above this, means and spreads are held fixed: they rest on many images then, and the sums would not fit.
MOST_PAIRS: Final = 1500
_MOST_NUMBERS: Final = 2_000_000


class _Layout(NamedTuple):
    """The columns of the sums: six for each of `people`, four for each pair (`first`, `second`), four raw."""

    people: int
    first: Ints
    second: Ints


def adjusted_estimates(
    frame: RatingsFrame,
    judged: Values,
    shared: SharedImages,
    pooled: Units,
    n_coders: int,
    values: tuple[float, float],
) -> tuple[Estimate, Estimate] | None:
    """Return adjusted alpha, and adjusted minus raw alpha, with intervals from resampling all images.

    `values` are the alphas, adjusted and raw. None where few images or many pairs of annotators do not allow
    it.
    """
    known = ~np.isnan(judged.adjusted)
    n_images = int(frame.image_codes.max(initial=-1)) + 1
    usable = np.bincount(frame.image_codes[known], minlength=n_images)
    images = int((usable >= 2).sum())
    if images < BOOTSTRAP_FROM or len(shared.names) > MOST_PAIRS or np.isnan(values).any():
        return None
    rows, layout = _sums(frame, judged, shared, pooled, usable)
    found = estimated(
        rows,
        lambda totals: _of_moments(totals, layout),
        n_coders=n_coders,
        undefined=NO_SPREAD,
        n_units=images,
        values=[values[0], values[0] - values[1]],
        highest=np.array([1.0, 2.0]),
    )
    return found[0], found[1]


def _sums(
    frame: RatingsFrame, judged: Values, shared: SharedImages, pooled: Units, usable: Ints
) -> tuple[Floats, _Layout]:
    """Return (blocks, columns) sums, of the scores' moments by annotator and by pair, and their layout.

    By annotator 1, x and x² over all scores, then over those of images with two `usable` annotators; by pair
    1, x y, x and y over shared images, divided by the number of the image's other annotators; last the raw
    alpha's number of ratings and `interval_sums`.
    """
    known = ~np.isnan(judged.adjusted)
    images, people = frame.image_codes, judged.annotators
    first, second = (
        side[known[shared.first] & known[shared.second]] for side in (shared.first, shared.second)
    )
    size = len(frame.labels("annotator"))
    pairs, pair = np.unique(people[first] * size + people[second], return_inverse=True)
    layout = _Layout(size, pairs // size, pairs % size)
    columns = 6 * size + 4 * len(pairs) + 4
    block_of = in_blocks(len(usable), min(BLOCKS, max(_MOST_NUMBERS // columns, 50)))
    blocks = int(block_of.max()) + 1
    x = judged.score
    found = np.zeros((columns, blocks))

    def put(column: int, places: Ints, rows: Ints, values: Floats) -> None:
        """Add values to `places` behind the column, by block of the rows' images."""
        width = int(places.max(initial=-1)) + 1
        flat = np.bincount(places * blocks + block_of[images[rows]], values, minlength=width * blocks)
        found[column : column + width] += flat.reshape(width, blocks)

    for start, rows in ((0, np.flatnonzero(known)), (3, np.flatnonzero(known & (usable[images] >= 2)))):
        for power in range(3):
            put((start + power) * size, people[rows], rows, x[rows] ** power)
    share = 1 / (usable[images[first]] - 1)
    for place, values in enumerate(
        (share, share * x[first] * x[second], share * x[first], share * x[second])
    ):
        put(6 * size + place * len(pairs), pair, first, values)
    doubled = np.flatnonzero(judged.pairable)
    unit_image = np.unique(images[doubled])
    raw = pooled.sums[:, [N, *range(SCORE.start, SCORE.stop)]]
    for place, values in enumerate(raw.T):
        found[columns - 4 + place] = np.bincount(block_of[unit_image], values, minlength=blocks)
    return np.ascontiguousarray(found.T), layout


def _of_moments(totals: Floats, layout: _Layout) -> Floats:
    """Return (…, 2): adjusted alpha, and its difference from raw alpha, of (…, columns) totals.

    With z = (x − mean) / spread, the disagreement of an image's n ratings, Σ (z_i − z_j)² / (n − 1) over
    ordered pairs, is 2 (Σ z² − Σ z_i z_j / (n − 1)), and every sum follows from the moments of x.
    """
    size, pairs = layout.people, len(layout.first)
    shape = totals.shape[:-1]
    own = totals[..., : 6 * size].reshape(*shape, 6, size)
    n, x, xx, used, ux, uxx = np.moveaxis(own, -2, 0)
    both, xy, of_first, of_second = np.moveaxis(totals[..., 6 * size : -4].reshape(*shape, 4, pairs), -2, 0)
    a, b = layout.first, layout.second
    with np.errstate(all="ignore"):
        mean = x / n
        spread = np.sqrt((xx - n * mean**2) / (n - 1))
        there = used > 0
        z = np.where(there, (ux - used * mean) / spread, 0).sum(axis=-1)
        zz = np.where(there, (uxx - 2 * mean * ux + used * mean**2) / spread**2, 0).sum(axis=-1)
        products = (
            xy - mean[..., b] * of_first - mean[..., a] * of_second + both * mean[..., a] * mean[..., b]
        )
        products = np.where(both > 0, products / (spread[..., a] * spread[..., b]), 0).sum(axis=-1)
        # Each unordered pair stands for two ordered ones.
        disagreement = 2 * (zz - 2 * products)
    adjusted = alpha_from(np.stack([used.sum(axis=-1), z, zz, disagreement], axis=-1))
    raw = interval(totals[..., -4], totals[..., -3:])
    return np.stack([adjusted, adjusted - raw], axis=-1)

"""Point estimates of alpha by the `krippendorff` package, where affordable.

`krippendorff.alpha` (S. Castro, "Fast Krippendorff", 2017) takes how often each value was given to each unit
and holds arrays of units x values x values: measured, 24 bytes per entry at the peak. If that is too much,
the closed form of `alpha.py` replaces it, which gives the same number to 1e-12. Resamples always use the
closed form, because there are thousands of them.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import krippendorff
import numpy as np

from analysis.stats.agreement.alpha import LevelOfMeasurement
from analysis.stats.agreement.values import Units
from analysis.stats.agreement.variables import BANDS_ALL, BANDS_SHARED, COMPUTED, LEVELS, Variable, alphas
from analysis.stats.bands import BANDS
from analysis.stats.bootstrap_intervals import FEWEST
from analysis.stats.frames import Floats, Ints

LIBRARY: Final = "krippendorff"
CLOSED_FORM: Final = "closed form"

# Units x values x values: 48 MB and some hundredths of a second for one alpha. That is 20,000 images of 25
# cells, 222,000 images in three bands, or 80 images with two distinct scores each.
MOST_ENTRIES: Final = 2_000_000
# For all pairs together, so that many pairs do not take seconds each.
MOST_ENTRIES_OF_PAIRS: Final = 200_000_000
SOME: Final = 4096


class Point(NamedTuple):
    """An alpha (NaN if undefined) and what computed it: `LIBRARY`, `CLOSED_FORM` or None."""

    value: float
    computed_by: str | None


def from_counts(
    counts: Ints,
    level: LevelOfMeasurement,
    closed: float,
    *,
    domain: Floats | None = None,
    most: int | None = None,
) -> Point:
    """Return alpha of (units, values) counts, or `closed`, the closed form, above `most` entries.

    `domain` (values,) are the values in order, by default 0, 1, …. NaN in `closed` is kept: without two
    distinct pairable values, the library raises ValueError or returns NaN. `most` defaults to `MOST_ENTRIES`.
    """
    if math.isnan(closed):
        return Point(closed, None)
    if counts.size * counts.shape[1] > _limit(most):
        return Point(closed, CLOSED_FORM)
    found = krippendorff.alpha(value_counts=counts, value_domain=domain, level_of_measurement=level)
    return Point(float(found), LIBRARY)


def from_numbers(
    values: Floats, units: Ints, n_units: int, closed: float, *, most: int | None = None
) -> Point:
    """Return alpha at the interval level of (ratings,) numbers and the unit index of each."""
    if math.isnan(closed):
        return Point(closed, None)
    # The first ratings usually decide, and complete counts may be too large.
    if _too_many(values[:SOME], n_units, most) or _too_many(values, n_units, most):
        return Point(closed, CLOSED_FORM)
    domain, places = np.unique(values, return_inverse=True)
    flat = np.bincount(units * len(domain) + places, minlength=n_units * len(domain))
    return from_counts(flat.reshape(n_units, len(domain)), "interval", closed, domain=domain, most=most)


def _too_many(values: Floats, n_units: int, most: int | None) -> bool:
    return n_units * len(np.unique(values)) ** 2 > _limit(most)


def _limit(most: int | None) -> int:
    return MOST_ENTRIES if most is None else most


def from_marked(marked: Ints, n: Ints, closed: float, *, most: int | None = None) -> Point:
    """Return nominal alpha of (units, cells) numbers of coders who marked a cell, out of (units,) coders."""
    counts = np.stack([n[:, None] - marked, marked], axis=-1).reshape(-1, 2)
    return from_counts(counts, "nominal", closed, most=most)


def point_alphas(units: Units, *, most: int | None = None) -> dict[Variable, Point]:
    """Return the alphas of `COMPUTED`; none for fewer than `FEWEST` units, which are never shown."""
    if len(units.sums) < FEWEST:
        return dict.fromkeys(COMPUTED, Point(math.nan, None))
    closed: dict[Variable, float] = dict(zip(COMPUTED, alphas(units.sums.sum(axis=0)).tolist(), strict=True))
    n_units = len(units.sums)
    known = ~np.isnan(units.adjusted)
    found: dict[Variable, Point] = {
        "cumulative_score": from_numbers(
            units.score, units.unit, n_units, closed["cumulative_score"], most=most
        ),
        "cells": from_marked(units.marked, units.n, closed["cells"], most=most),
        "cumulative_score_adjusted": from_numbers(
            units.adjusted[known], units.unit[known], n_units, closed["cumulative_score_adjusted"], most=most
        ),
    }
    bands: dict[Variable, slice] = {
        "overall_severity": BANDS_SHARED,
        "overall_severity_all_images": BANDS_ALL,
    }
    for name, columns in bands.items():
        # The first of these columns count each band.
        counts = units.sums[:, columns.start : columns.start + len(BANDS)].astype(np.int64)
        found[name] = from_counts(counts, LEVELS[name], closed[name], most=most)
    return {name: found[name] for name in COMPUTED}

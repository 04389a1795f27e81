"""Alpha of any variable, at its level of measurement, with its interval over images."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from analysis.stats.agreement.alpha import (
    ALL_EQUAL,
    LevelOfMeasurement,
    alpha_from,
    alpha_of_coincidences,
    coincidences,
    interval_sums,
)
from analysis.stats.agreement.groups import with_computed_by
from analysis.stats.agreement.point_estimates import Point, from_counts, from_numbers
from analysis.stats.estimates import AlphaEstimate
from analysis.stats.frames import Floats, Ints
from analysis.stats.resampling import FEWEST, estimated
from scoring.protocol import Variable

NOBODY = Point(float("nan"), None)


@dataclass(frozen=True)
class Sums:
    """What alphas of one variable are made of.

    `rows` are (units, k) sums that add up over images, `statistic` turns totals of them into alphas, `point`
    computes the alpha itself from the closed form's value.
    """

    rows: Floats
    statistic: Callable[[Floats], Floats]
    point: Callable[[float], Point]


def level_of(variable: Variable) -> LevelOfMeasurement:
    """The level at which differences are taken: that of the variable, where its values can be listed.

    Without a list numbers are taken as interval data: the other metrics need to know which values there are.
    """
    return variable.level_of_measurement if variable.values else "interval"


def alpha_of(values: Floats, unit: Ints, variable: Variable, n_coders: int) -> AlphaEstimate:
    """Krippendorff's alpha of (rows, c) values, c components, with a 95 % interval over units.

    `unit` (rows,) is the index of each row's image, sorted, every index from 0 on in use and each with two
    rows or more. The components of an image move together in every resample. Raises ValueError for a value
    that the variable does not list.
    """
    n_units = int(unit[-1]) + 1 if len(unit) else 0
    if n_units < FEWEST:
        # Only how many there are is said: no sums are needed.
        empty = np.zeros((n_units, 1))
        (found,) = estimated(empty, lambda totals: totals, n_coders=n_coders, undefined=ALL_EQUAL)
        return with_computed_by(found, NOBODY)
    sums = _listed(values, unit, n_units, variable) if variable.values else _open(values, unit, n_units)
    point = sums.point(float(sums.statistic(sums.rows.sum(axis=0))[0]))
    (found,) = estimated(
        sums.rows,
        sums.statistic,
        n_coders=n_coders,
        undefined=ALL_EQUAL,
        values=[point.value],
        highest=1.0,
    )
    return with_computed_by(found, point)


def _listed(values: Floats, unit: Ints, n_units: int, variable: Variable) -> Sums:
    domain = np.array(variable.values, dtype=np.float64)
    counts = _counts(values, unit, n_units, domain, variable.name)
    level, levels = level_of(variable), len(domain)
    rows = coincidences(counts).reshape(n_units, values.shape[1], -1).sum(axis=1)
    return Sums(
        rows,
        lambda totals: alpha_of_coincidences(totals, levels, level, domain.tolist())[..., None],
        lambda closed: from_counts(counts, level, closed, domain=domain),
    )


def _counts(values: Floats, unit: Ints, n_units: int, domain: Floats, name: str) -> Ints:
    """(units * c, levels): how often each value was given to each component of each unit."""
    places = np.searchsorted(domain, values)
    known = domain[np.minimum(places, len(domain) - 1)] == values
    if not known.all():
        raise ValueError(f"{values[~known][0]:g} is no value of {name!r}")
    width = values.shape[1]
    unit_of = unit[:, None] * width + np.arange(width)
    flat = np.bincount((unit_of * len(domain) + places).ravel(), minlength=n_units * width * len(domain))
    return flat.reshape(n_units * width, len(domain))


def _open(values: Floats, unit: Ints, n_units: int) -> Sums:
    width = values.shape[1]
    centred = (values - values.mean()).ravel()
    unit_of = (unit[:, None] * width + np.arange(width)).ravel()
    n = np.bincount(unit_of, minlength=n_units * width)
    sums = np.column_stack([n, interval_sums(centred, unit_of, n)])
    return Sums(
        sums.reshape(n_units, width, -1).sum(axis=1),
        lambda totals: alpha_from(totals)[..., None],
        lambda closed: from_numbers(values.ravel(), unit_of, n_units * width, closed),
    )

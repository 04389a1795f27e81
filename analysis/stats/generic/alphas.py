"""Alpha of any variable at its level of measurement, with an interval over images."""

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
from analysis.stats.bootstrap_intervals import FEWEST, estimated
from analysis.stats.estimates import AlphaEstimate
from analysis.stats.frames import Floats, Ints
from scoring.protocol import Variable

NOBODY = Point(float("nan"), None)


@dataclass(frozen=True)
class AlphaSums:
    """The input of one variable's alphas.

    `rows` are (units, k) sums that add up over images, `statistic` converts totals to alphas, `point`
    computes the alpha itself from the closed form's value.
    """

    rows: Floats
    statistic: Callable[[Floats], Floats]
    point: Callable[[float], Point]


def level_of(variable: Variable) -> LevelOfMeasurement:
    """Return the level of measurement to use: that of the variable if its values can be listed.

    Otherwise numbers count as interval data, because the other metrics need the list of values.
    """
    return variable.level_of_measurement if variable.values else "interval"


def alpha_of(values: Floats, unit: Ints, variable: Variable, n_coders: int) -> AlphaEstimate:
    """Return Krippendorff's alpha of (rows, c) values, c components, with a 95% interval over units.

    `unit` (rows,) is the sorted index of each row's image, without gaps from 0, each with two or more rows.
    The components of an image stay together in every resample. Raise ValueError for a value that the variable
    does not list.
    """
    n_units = int(unit[-1]) + 1 if len(unit) else 0
    if n_units < FEWEST:
        # Only the numbers are reported, so no sums are needed.
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


def _listed(values: Floats, unit: Ints, n_units: int, variable: Variable) -> AlphaSums:
    domain = np.array(variable.values, dtype=np.float64)
    counts = _counts(values, unit, n_units, domain, variable.name)
    level, levels = level_of(variable), len(domain)
    rows = coincidences(counts).reshape(n_units, values.shape[1], -1).sum(axis=1)
    return AlphaSums(
        rows,
        lambda totals: alpha_of_coincidences(totals, levels, level, domain.tolist())[..., None],
        lambda closed: from_counts(counts, level, closed, domain=domain),
    )


def _counts(values: Floats, unit: Ints, n_units: int, domain: Floats, name: str) -> Ints:
    """Return (units * c, levels): how often each value was given to each component of each unit."""
    places = np.searchsorted(domain, values)
    known = domain[np.minimum(places, len(domain) - 1)] == values
    if not known.all():
        raise ValueError(f"{values[~known][0]:g} is no value of {name!r}")
    width = values.shape[1]
    unit_of = unit[:, None] * width + np.arange(width)
    flat = np.bincount((unit_of * len(domain) + places).ravel(), minlength=n_units * width * len(domain))
    return flat.reshape(n_units * width, len(domain))


def _open(values: Floats, unit: Ints, n_units: int) -> AlphaSums:
    width = values.shape[1]
    centred = (values - values.mean()).ravel()
    unit_of = (unit[:, None] * width + np.arange(width)).ravel()
    n = np.bincount(unit_of, minlength=n_units * width)
    sums = np.column_stack([n, interval_sums(centred, unit_of, n)])
    return AlphaSums(
        sums.reshape(n_units, width, -1).sum(axis=1),
        lambda totals: alpha_from(totals)[..., None],
        lambda closed: from_numbers(values.ravel(), unit_of, n_units * width, closed),
    )

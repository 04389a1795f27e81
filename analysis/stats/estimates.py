"""Estimates with intervals, or the reason for having none: the shape that all reports use."""

from __future__ import annotations

import math
from typing import Final, NotRequired, TypedDict

CONFIDENCE: Final = 0.95
PLACES: Final = 2
"""Decimals with which pages print the limits of an interval."""
HALF_A_UNIT: Final = 0.005
"""Of the last of these decimals: a limit that is nearer to 0 is printed as 0."""
Range = tuple[float, float]
"""The least and the greatest possible value of a mean or a difference."""
ANY: Final[Range] = (-math.inf, math.inf)
FROM_ZERO: Final[Range] = (0.0, math.inf)
TOO_WIDE: Final = "too few images"
"""Why there is no interval if it would hold every possible value."""


class Estimate(TypedDict):
    """A number with its 95% interval; missing parts are None and `refused` says why.

    `places` is there if resampling leaves the limits less certain than `PLACES` decimals: how many to print.
    """

    value: float | None
    low: float | None
    high: float | None
    n_units: int
    n_coders: int
    method: str
    refused: str | None
    places: NotRequired[int]


class AlphaEstimate(Estimate):
    """An alpha; `computed_by` names what computed its value, None without one."""

    computed_by: str | None


def estimate(
    value: float,
    low: float,
    high: float,
    *,
    n_units: int,
    n_coders: int = 0,
    method: str,
    error: float = 0.0,
) -> Estimate:
    """Return a number with its interval; `error` is the Monte Carlo standard error of its limits."""
    made = Estimate(
        value=float(value),
        low=float(low),
        high=float(high),
        n_units=int(n_units),
        n_coders=int(n_coders),
        method=method,
        refused=None,
    )
    if error > HALF_A_UNIT:
        made["places"] = PLACES - 1
    return made


def refused(
    reason: str, *, value: float | None = None, n_units: int = 0, n_coders: int = 0, method: str
) -> Estimate:
    """Return an estimate without interval, and without number unless `value` is given."""
    known = None if value is None else float(value)
    return Estimate(
        value=known,
        low=None,
        high=None,
        n_units=int(n_units),
        n_coders=int(n_coders),
        method=method,
        refused=reason,
    )


def cut(found: Estimate, within: Range) -> Estimate:
    """Return an estimate with its interval cut at the possible range; without one that holds all of it.

    The true value is in the range, so the cut interval contains it as often as the whole one.
    """
    value, low, high = found["value"], found["low"], found["high"]
    if value is None or low is None or high is None:
        return found
    least, most = within
    if low <= least and high >= most:
        return Estimate(**{**found, "low": None, "high": None, "refused": TOO_WIDE})
    # Adjusted means may lie outside the range themselves.
    cut_low, cut_high = min(value, max(low, least)), max(value, min(high, most))
    return Estimate(**{**found, "low": cut_low, "high": cut_high})

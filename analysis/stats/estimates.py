"""Estimates with intervals, or the reason for having none: the shape that all reports use."""

from __future__ import annotations

import math
from typing import Final, TypedDict

CONFIDENCE: Final = 0.95
# Where all annotators judge the same images, adjusting for leniency can hardly lower alpha, so resamples stay
# just above 0 whether or not anybody is lenient. A limit that is shown as 0.00 therefore counts as 0.
LEAST: Final = 0.005
Range = tuple[float, float]
"""The least and the greatest possible value of a mean or a difference."""
ANY: Final[Range] = (-math.inf, math.inf)
FROM_ZERO: Final[Range] = (0.0, math.inf)
TOO_WIDE: Final = "too few images"
"""Why there is no interval if it would hold every possible value."""
TOO_LOW: Final = "alpha is too low on average"
"""What to consider of an alpha from few images or scores."""


class Estimate(TypedDict):
    """A number with its 95% interval; missing parts are None and `refused` says why."""

    value: float | None
    low: float | None
    high: float | None
    n_units: int
    n_coders: int
    method: str
    refused: str | None


class CautionedEstimate(Estimate, total=False):
    """An estimate with what to consider before using it, where there is something."""

    caution: str


class AlphaEstimate(Estimate):
    """An alpha; `computed_by` names what computed its value, None without one."""

    computed_by: str | None


class CautionedAlpha(AlphaEstimate, total=False):
    """An alpha with what to consider before using it, where there is something."""

    caution: str


def estimate(
    value: float, low: float, high: float, *, n_units: int, n_coders: int = 0, method: str
) -> Estimate:
    """Return a number with its interval."""
    return Estimate(
        value=float(value),
        low=float(low),
        high=float(high),
        n_units=int(n_units),
        n_coders=int(n_coders),
        method=method,
        refused=None,
    )


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

"""Estimates with intervals, or the reason for having none: the shape that all reports use."""

from __future__ import annotations

from typing import Final, TypedDict

CONFIDENCE: Final = 0.95
# Where all annotators judge the same images, adjusting for leniency can hardly lower alpha, so resamples stay
# just above 0 whether or not anybody is lenient. A limit that is shown as 0.00 therefore counts as 0.
LEAST: Final = 0.005


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

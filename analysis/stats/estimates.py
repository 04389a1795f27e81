"""Estimates with intervals, or the reason for having none: the shape that all reports use."""

from __future__ import annotations

from typing import Final, NotRequired, TypedDict

CONFIDENCE: Final = 0.95


class Estimate(TypedDict):
    """A number with its 95 % interval; missing parts are None and `refused` says why."""

    value: float | None
    low: float | None
    high: float | None
    n_units: int
    n_coders: int
    method: str
    refused: str | None


class AlphaEstimate(Estimate):
    """An alpha; `computed_by` names what computed its value, None without one.

    `caution` says what to consider before using it; missing where there is nothing.
    """

    computed_by: str | None
    caution: NotRequired[str]


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

"""An estimate with its interval, or the reason for having none: the shape every report uses."""

from __future__ import annotations

from typing import Final, TypedDict

CONFIDENCE: Final = 0.95


class Estimate(TypedDict):
    """A number with its 95 % interval; what is missing is None and `refused` says why."""

    value: float | None
    low: float | None
    high: float | None
    n_units: int
    n_coders: int
    method: str
    refused: str | None


class AlphaEstimate(Estimate):
    """An alpha; `computed_by` says what its value came from, None where there is none."""

    computed_by: str | None


def estimate(
    value: float, low: float, high: float, *, n_units: int, n_coders: int = 0, method: str
) -> Estimate:
    """A number with its interval, both known."""
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
    """No interval, and no number either unless `value` stands without one."""
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

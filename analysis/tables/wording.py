"""Numbers in sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from analysis.tables.table import rounded

PLACES = 2
READILY: Final = 0.9
"""p from which a count of studies would say no more than that chance alone does it readily."""


def counted(number: int, noun: str) -> str:
    """Return `1 test` or `1,240 tests`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def listed(names: Sequence[str]) -> str:
    """Return `A`, `A and B` or `A, B and C`."""
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def p_value(value: float) -> str:
    """Return `p < 0.001` or `p = 0.012`."""
    return "p < 0.001" if value < 0.001 else f"p = {value:.3f}"


def by_chance(p: float) -> str:
    """Return how often chance alone does this, as text: `in 6 of 100 studies (p = 0.064)`.

    An uncorrected p value is the share of studies without any difference in which at least so large a one
    appears; one near 1 says nothing: `readily (p = 1.000)`.
    """
    if p >= READILY:
        return f"readily ({p_value(p)})"
    per = 1_000 if p < 0.01 else 100
    if p < 0.001:
        return f"in fewer than 1 of 1,000 studies ({p_value(p)})"
    return f"in {round(per * p)} of {per:,} studies ({p_value(p)})"


def interval(estimate: Mapping[str, Any]) -> str:
    """Return `[−1.69, −0.89]`; empty without an interval."""
    if estimate["low"] is None:
        return ""
    return f"[{rounded(estimate['low'], PLACES)}, {rounded(estimate['high'], PLACES)}]"


def limits(estimate: Mapping[str, Any]) -> str:
    """Return `−1.69 to −0.89`; empty without an interval."""
    if estimate["low"] is None:
        return ""
    return f"{rounded(estimate['low'], PLACES)} to {rounded(estimate['high'], PLACES)}"


def with_interval(estimate: Mapping[str, Any]) -> str:
    """Return `−1.29 [−1.69, −0.89]`."""
    return f"{rounded(estimate['value'], PLACES)} {interval(estimate)}".rstrip()


def turned(estimate: Mapping[str, Any]) -> dict[str, Any]:
    """Return the estimate of b − a from that of a − b, with signs and limits swapped."""
    return {
        **estimate,
        "value": _negative(estimate["value"]),
        "low": _negative(estimate["high"]),
        "high": _negative(estimate["low"]),
    }


def _negative(value: float | None) -> float | None:
    return None if value is None else -value


def lower_first(test: Mapping[str, Any]) -> dict[str, Any]:
    """Return the test of two generators with the lower mean as `a`, and its difference turned."""
    gap = test["difference"]["value"]
    if gap is None or gap <= 0:
        return dict(test)
    return {**test, "a": test["b"], "b": test["a"], "difference": turned(test["difference"])}

"""Findings, and names and numbers in sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scoring.rounding import half_up

MINUS = "−"
PLACES = 2
BETWEEN = " – "
"""Between two names or numbers that belong together."""


Result = Mapping[str, Any]


@dataclass(frozen=True)
class Finding:
    """A sentence; `kind` is `clear`, `open` (inconclusive), `refused` (no number) or `note`."""

    kind: str
    text: str


def named(text: str) -> str:
    """Return a name; an empty one is shown as `(none)`."""
    return text or "(none)"


def rounded(value: float, places: int) -> str:
    """Return the number with a minus sign (not a hyphen), and never a negative zero; halves go up."""
    text = half_up(value, places)
    if not text.strip("-0.,"):
        return text.lstrip("-")
    return text.replace("-", MINUS)


def counted(number: int, noun: str) -> str:
    """Return `1 test` or `1,240 tests`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def listed(names: Sequence[str]) -> str:
    """Return `A`, `A and B` or `A, B and C`."""
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def p_value(value: float) -> str:
    """Return `p < 0.001` or `p = 0.012`."""
    return "p < 0.001" if value < 0.001 else f"p = {value:.3f}"


def interval(estimate: Mapping[str, Any]) -> str:
    """Return `[−1.69, −0.89]`; empty without an interval."""
    if estimate["low"] is None:
        return ""
    return f"[{', '.join(_ends(estimate))}]"


def limits(estimate: Mapping[str, Any]) -> str:
    """Return `−1.69 to −0.89`; empty without an interval."""
    if estimate["low"] is None:
        return ""
    return " to ".join(_ends(estimate))


def _ends(estimate: Mapping[str, Any]) -> list[str]:
    """Return the limits, with one decimal fewer where resampling leaves them less certain."""
    return [rounded(estimate[end], estimate.get("places", PLACES)) for end in ("low", "high")]


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


def better_first(test: Mapping[str, Any], *, higher_is_better: bool = False) -> dict[str, Any]:
    """Return the test of two generators with the better mean as `a` and the difference turned."""
    gap = test["difference"]["value"]
    if gap is None or (gap >= 0 if higher_is_better else gap <= 0):
        return dict(test)
    return {**test, "a": test["b"], "b": test["a"], "difference": turned(test["difference"])}

"""Numbers inside sentences; every sentence takes its numbers from one place, so that none can be swapped."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analysis.tables.table import rounded

PLACES = 2


def p_value(value: float) -> str:
    """`p < 0.001` or `p = 0.012`."""
    return "p < 0.001" if value < 0.001 else f"p = {value:.3f}"


def interval(estimate: Mapping[str, Any]) -> str:
    """`[−1.69, −0.89]`; empty where there is none."""
    if estimate["low"] is None:
        return ""
    return f"[{rounded(estimate['low'], PLACES)}, {rounded(estimate['high'], PLACES)}]"


def with_interval(estimate: Mapping[str, Any]) -> str:
    """`−1.29 [−1.69, −0.89]`."""
    return f"{rounded(estimate['value'], PLACES)} {interval(estimate)}".rstrip()


def turned(estimate: Mapping[str, Any]) -> dict[str, Any]:
    """The estimate of b − a from that of a − b: signs change and the ends change places."""
    return {
        **estimate,
        "value": _negative(estimate["value"]),
        "low": _negative(estimate["high"]),
        "high": _negative(estimate["low"]),
    }


def _negative(value: float | None) -> float | None:
    return None if value is None else -value


def lower_first(test: Mapping[str, Any]) -> dict[str, Any]:
    """The test of two generators with the one of the lower mean as `a`, everything that has a side turned."""
    gap = test["difference"]["value"]
    return dict(test) if gap is None or gap <= 0 else _other_way_round(test)


def _other_way_round(test: Mapping[str, Any]) -> dict[str, Any]:
    made = {**test, "a": test["b"], "b": test["a"], "difference": turned(test["difference"])}
    made["t"] = _negative(test["t"])
    if "unadjusted" in test:
        raw = test["unadjusted"]
        made["unadjusted"] = {**raw, "difference": turned(raw["difference"]), "t": _negative(raw["t"])}
    if "hedges_g" in test:
        made["hedges_g"] = turned(test["hedges_g"])
    for name in ("images", "mean"):
        if f"{name}_a" in test:
            made[f"{name}_a"], made[f"{name}_b"] = test[f"{name}_b"], test[f"{name}_a"]
    if "a_lower" in test:
        made["a_lower"], made["b_lower"] = test["b_lower"], test["a_lower"]
    return made

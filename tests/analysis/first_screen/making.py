"""Results of comparisons, as far as a first screen reads them."""

from __future__ import annotations

from collections.abc import Collection
from itertools import combinations
from typing import Any

from analysis.first_screen.ranking import Order

NO_INTERVAL: dict[str, Any] = {"low": None, "high": None, "refused": "one image"}


def mean(value: float | None, half: float = 0.2, n: int = 40) -> dict[str, Any]:
    """An estimate with an interval of value ± half."""
    limits = NO_INTERVAL if value is None or half == 0 else {"low": value - half, "high": value + half}
    return {"value": value, "n_units": n, "n_coders": 2, "refused": None, **limits}


def pair(a: str, b: str, gap: float, p: float) -> dict[str, Any]:
    """A test of a − b = gap, as a row of the differences."""
    near = 0.04 <= p <= 0.06
    verdict = "at the limit" if near else "clear" if p < 0.05 else ""
    return {"a": a, "b": b, "difference": mean(gap), "df": 10, "p": p, "p_holm": p, "verdict": verdict}


def order(
    means: dict[str, float],
    unclear: set[frozenset[str]],
    *,
    near: Collection[frozenset[str]] = (),
    higher_is_better: bool = False,
) -> Order:
    """Generators of which all pairs differ clearly, except these; some of them at the limit."""
    rows = [{"generator": name, "images": 40, "mean": mean(value)} for name, value in means.items()]
    tests = []
    for a, b in combinations(means, 2):
        both = frozenset((a, b))
        p = 0.4 if both in unclear else 0.045 if both in near else 0.001
        tests.append(pair(a, b, means[a] - means[b], p))
    return Order(rows, tests, higher_is_better=higher_is_better)

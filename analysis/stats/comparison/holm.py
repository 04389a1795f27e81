"""Holm's correction of several p values, and intervals that hold together.

S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6
(1979) 65-70. The intervals are Bonferroni's (O. J. Dunn, "Multiple comparisons among means", Journal of the
American Statistical Association 56 (1961) 52-64): together they contain the true differences with 95 %. They
are the first step of Holm's procedure, so an interval without 0 always has a corrected p below 0.05. They
suit every test with a t and degrees of freedom, unlike those of the studentised range.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scipy import stats

from analysis.stats.estimates import CONFIDENCE, Estimate, estimate


def holm(values: Sequence[float | None]) -> list[float | None]:
    """Return the corrected p values in the same order; undefined tests (None) do not count.

    The smallest of m is multiplied by m, the next by m − 1 and so on; none is smaller than the previous one
    and none exceeds 1.
    """
    known = sorted((value, place) for place, value in enumerate(values) if value is not None)
    corrected: list[float | None] = [None] * len(values)
    largest = 0.0
    for rank, (value, place) in enumerate(known):
        largest = max(largest, min(1.0, (len(known) - rank) * value))
        corrected[place] = largest
    return corrected


def simultaneous(test: Mapping[str, Any], tests: int) -> Estimate:
    """Return the difference of one of several t tests with the interval of level 1 - 0.05 / tests."""
    found: Estimate = test["difference"]
    value, high = found["value"], found["high"]
    if value is None or high is None:
        return found
    tail = (1 - CONFIDENCE) / 2
    half = (high - value) * float(stats.t.isf(tail / tests, test["df"]) / stats.t.isf(tail, test["df"]))
    return estimate(
        value,
        value - half,
        value + half,
        n_units=found["n_units"],
        n_coders=found["n_coders"],
        method=f"{found['method']}, Bonferroni",
    )

"""The generators under other weights: a mean score is linear in the weights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from analysis.tables.comparison.sensitivity import SAME, ranked, tip
from analysis.tables.comparison.summaries import barred
from analysis.tables.table import Table, column, count, name, rounded, table_of
from scoring.grid.taxonomy import SEVERITIES, SEVERITY_TITLES

PLACES: Final = 2

Weights = Mapping[str, float]
Found = Mapping[str, Any]


@dataclass(frozen=True)
class Weighed:
    """A ranking; `verdict` says whether the order differs, `tips` where neighbours swap places."""

    table: Table
    verdict: str
    changed: bool
    tips: tuple[str, ...]


def weighed(found: Found, weights: Weights) -> Weighed:
    """Return the ranking under these weights; `found` is a report's `weight_sensitivity`."""
    order = ranked(found, weights)
    names, before = [label for label, _ in order], list(found["ranking"])
    now = ", ".join(f"{rounded(found['weights'][severity], PLACES)}" for severity in SEVERITIES)
    changed = names != before
    verdict = (
        f"The order differs from that of the report's weights ({now}): {', '.join(before)}."
        if changed
        else f"The order is the same as with the report's weights ({now})."
    )
    return Weighed(_table(found, order, weights), verdict, changed, tuple(_tips(found, names, weights)))


def _table(found: Found, order: Sequence[tuple[str, float]], weights: Weights) -> Table:
    before = {label: place for place, label in enumerate(found["ranking"], start=1)}
    sums = {entry["generator"]: entry["severity"] for entry in found["generators"]}
    longest = max((mean for _, mean in order), default=0.0)
    return table_of(
        "weighed",
        "Order under these weights",
        "Mean score per image, fewest errors first.",
        (
            column(name, "Generator", "name"),
            column(lambda one: barred(one[1], sums[one[0]], weights, longest), "Mean", "found"),
            column(count, "Rank", "place"),
            column(count, "Rank in the report", "before"),
        ),
        [
            {"name": label, "found": (label, mean), "place": place, "before": before[label]}
            for place, (label, mean) in enumerate(order, start=1)
        ],
    )


def _tips(found: Found, names: Sequence[str], weights: Weights) -> Iterator[str]:
    """Yield, for each two neighbours, the weights at which they are equal, one weight at a time."""
    sums = {entry["generator"]: entry["severity"] for entry in found["generators"]}
    always = {frozenset((pair["a"], pair["b"])): pair["always"] for pair in found["pairs"]}
    for first, second in pairwise(names):
        gap = {severity: sums[first][severity] - sums[second][severity] for severity in SEVERITIES}
        places = [
            f"{SEVERITY_TITLES[severity]} at {tip(value)}"
            for severity in SEVERITIES
            if (value := _alone(gap, weights, severity)) is not None and value > SAME
        ]
        if max(map(abs, gap.values())) <= SAME:
            yield f"{first} and {second} are equal under all weights."
        elif always.get(frozenset((first, second))):
            yield f"{first} stays ahead of {second} for all weights with mild ≤ moderate ≤ severe."
        elif places:
            yield f"{first} and {second} swap places with {', or '.join(places)}, the others unchanged."
        else:
            yield f"{first} and {second} swap places only if several weights change together."


def _alone(gap: Weights, weights: Weights, severity: str) -> float | None:
    """Return the value of one weight that makes the difference zero; None if it breaks their order."""
    if abs(gap[severity]) <= SAME:
        return None
    value = weights[severity] - sum(gap[s] * weights[s] for s in SEVERITIES) / gap[severity]
    place = SEVERITIES.index(severity)
    low = weights[SEVERITIES[place - 1]] if place else 0.0
    high = weights[SEVERITIES[place + 1]] if place + 1 < len(SEVERITIES) else float("inf")
    return value if low - SAME <= value <= high + SAME else None

"""The effect of other weights on the order of the generators."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from analysis.tables.table import Table, TableCell, column, name, number, rounded, table_of
from scoring.grid.taxonomy import SEVERITIES, SEVERITY_TITLES
from scoring.rounding import percent

PLACES = 2
# A smaller weight is none: there, two means are equal, but no smaller weight lets them swap places.
SAME = 1e-9


def sensitivity_tables(result: Mapping[str, Any]) -> list[Table]:
    """Return the orders that occur, and the weights at which pairs swap places."""
    found = result["weight_sensitivity"]
    if len(found["generators"]) < 2:
        return []
    return [_orders(found), _tipping(found)]


def ranked(found: Mapping[str, Any], weights: Mapping[str, float]) -> list[tuple[str, float]]:
    """Return generators and their mean scores under these weights, fewest errors first.

    `found` is a report's `weight_sensitivity`; a mean score is linear in the weights, so nothing is
    computed from annotations again.
    """
    means = [
        (entry["generator"], sum(weights[severity] * entry["severity"][severity] for severity in SEVERITIES))
        for entry in found["generators"]
    ]
    return sorted(means, key=lambda pair: round(pair[1], 9))


def _orders(found: Mapping[str, Any]) -> Table:
    return table_of(
        "weight_orders",
        "Orders under other weights",
        "Every order of the generators (fewest errors first) that occurs for weights with mild ≤ moderate ≤ "
        "severe, and the share of all such weights that gives it.",
        (
            column(name, "Order", lambda entry: ", ".join(entry["order"])),
            column(_percent, "Part of all weights", "share", "on a grid of steps of 1/20"),
            column(
                name,
                "For example",
                lambda entry: " / ".join(rounded(entry["example"][s], PLACES) for s in SEVERITIES),
                "weights of mild, moderate and severe errors; only their ratios matter",
            ),
        ),
        found["rankings"],
    )


def _percent(share: float) -> TableCell:
    return TableCell(f"{percent(share)}%", numeric=True)


def _tipping(found: Mapping[str, Any]) -> Table:
    here = {severity: f"(here {rounded(weight, PLACES)})" for severity, weight in found["weights"].items()}
    return table_of(
        "weight_tipping",
        "Where two generators swap places",
        "For each weight, the value at which the two means are equal while the other weights are unchanged.",
        (
            column(name, "Generators", lambda pair: f"{pair['a']} – {pair['b']}"),
            column(_difference, "Difference", "difference", "under the weights of this report"),
            *(
                column(_tip, f"{SEVERITY_TITLES[severity].title()} {here[severity]}", f"tips.{severity}")
                for severity in SEVERITIES
            ),
            column(
                name,
                "Elsewhere",
                lambda pair: (
                    "the order never changes" if pair["always"] else "other weights change the order"
                ),
                "whether any weights with mild ≤ moderate ≤ severe change the order",
            ),
        ),
        found["pairs"],
    )


_difference = partial(number, places=PLACES)


def tip(value: float) -> str:
    """Return a weight at which two means are equal; one that would round to 0 is said to be below 0.01."""
    return "less than 0.01" if value < 0.005 else rounded(value, PLACES)


def _tip(value: float | None) -> TableCell:
    return TableCell("never" if value is None or value <= SAME else tip(value), numeric=True)

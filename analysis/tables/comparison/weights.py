"""The generators under three weightings, as a table and as a line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from analysis.tables.table import Table, column, name, rounded, table_of
from analysis.tables.wording import PLACES, counted
from scoring.grid.taxonomy import SEVERITIES

TITLES: Final = {"equal": "All severities alike", "severe": "Severe errors only", "published": "As published"}

Row = Mapping[str, Any]


def weights_table(result: Mapping[str, Any]) -> Table:
    """Return a row for each weighting, with the order and the means of the generators."""
    return table_of(
        "other_weights",
        "Other weights",
        "Mean score per image under other weights, fewest errors first. An order is not a difference.",
        (
            column(name, "Weights", lambda row: TITLES[row["weighting"]]),
            column(name, "Mild / moderate / severe", _weights),
            column(name, "Generators", _means, "with their means"),
        ),
        result["weights"]["rows"],
    )


def weights_line(result: Mapping[str, Any]) -> tuple[str, str]:
    """Return whether the order depends on the weights, and how many weightings that is over."""
    rows = result["weights"]["rows"]
    if not rows:
        return "One generator: nothing to rank", ""
    orders = {tuple(entry["generator"] for entry in row["generators"]) for row in rows}
    size = counted(len(rows), "weighting")
    if len(orders) == 1:
        return "The order is the same under all three weightings", size
    firsts = {order[0] for order in orders}
    if len(firsts) == 1:
        return f"{firsts.pop()} stays first under all three weightings", size
    return "Which generator comes first depends on the weights", size


def _weights(row: Row) -> str:
    return " / ".join(rounded(row[severity], PLACES) for severity in SEVERITIES)


def _means(row: Row) -> str:
    return ", ".join(f"{entry['generator']} {rounded(entry['mean'], PLACES)}" for entry in row["generators"])

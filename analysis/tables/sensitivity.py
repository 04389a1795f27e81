"""What other weights would do to the order of the generators."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analysis.tables.table import Cell, Heading, Table, name, number, rounded
from scoring.grid.taxonomy import SEVERITIES, SEVERITY_TITLES

PLACES = 2


def sensitivity_tables(result: Mapping[str, Any]) -> list[Table]:
    """The orders that occur, and where each pair changes places."""
    found = result.get("weight_sensitivity")
    if not found or len(found["generators"]) < 2:
        return []
    return [_orders(found), _tipping(found)]


def ranked(found: Mapping[str, Any], weights: Mapping[str, float]) -> list[tuple[str, float]]:
    """Generators and their mean scores under these weights, fewest errors first.

    `found` is a report's `weight_sensitivity`; a mean score is linear in the weights, so nothing is
    computed from annotations again.
    """
    means = [
        (entry["generator"], sum(weights[severity] * entry["severity"][severity] for severity in SEVERITIES))
        for entry in found["generators"]
    ]
    return sorted(means, key=lambda pair: round(pair[1], 9))


def _orders(found: Mapping[str, Any]) -> Table:
    return Table(
        slug="weight_orders",
        title="Orders under other weights",
        words=(
            "Every order of the generators, fewest errors first, that occurs when the weights of the "
            "severities change but mild ≤ moderate ≤ severe still holds, and how large a part of all such "
            "weights gives it."
        ),
        headings=(
            Heading("Order"),
            Heading("Part of all weights", numeric=True, hint="on a grid of steps of 1/20"),
            Heading(
                "For example", hint="weights of mild, moderate and severe errors; only their ratios matter"
            ),
        ),
        rows=tuple(
            (
                name(", ".join(entry["order"])),
                Cell(f"{100 * entry['share']:.0f} %", numeric=True),
                Cell(" / ".join(rounded(entry["example"][severity], PLACES) for severity in SEVERITIES)),
            )
            for entry in found["rankings"]
        ),
    )


def _tipping(found: Mapping[str, Any]) -> Table:
    return Table(
        slug="weight_tipping",
        title="Where two generators change places",
        words=(
            "For each weight, the value at which the difference of the two means is zero while the other two "
            "weights stay as they are."
        ),
        headings=(
            Heading("Generators"),
            Heading("Difference", numeric=True, hint="under the weights of this report"),
            *(
                Heading(
                    f"{SEVERITY_TITLES[severity].title()} "
                    f"(here {rounded(found['weights'][severity], PLACES)})",
                    numeric=True,
                )
                for severity in SEVERITIES
            ),
            Heading("Elsewhere", hint="whether any weights with mild ≤ moderate ≤ severe change the order"),
        ),
        rows=tuple(_tipping_row(pair) for pair in found["pairs"]),
    )


def _tipping_row(pair: Mapping[str, Any]) -> tuple[Cell, ...]:
    return (
        name(f"{pair['a']} – {pair['b']}"),
        number(pair["difference"], PLACES),
        *(_tip(pair["tips"][severity]) for severity in SEVERITIES),
        Cell("the order never changes" if pair["always"] else "other weights change the order"),
    )


def _tip(value: float | None) -> Cell:
    return Cell("never", numeric=True) if value is None else number(value, PLACES)

"""Estimates with their intervals as cells."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analysis.tables.table import Cell, rounded

PLACES = 2

Estimate = Mapping[str, Any]


def estimated(value: Estimate, places: int = PLACES) -> Cell:
    """`0.55 [0.29, 0.73]`; where a part is missing, a note says why."""
    if value["value"] is None:
        return Cell("–", numeric=True, note=f"not defined: {value['refused']}")
    text = rounded(value["value"], places)
    if value["low"] is None:
        return Cell(text, numeric=True, note=f"no interval: {value['refused']}")
    low, high = (rounded(value[end], places) for end in ("low", "high"))
    return Cell(f"{text} [{low}, {high}]", numeric=True)


def shared_out(value: Estimate) -> Cell:
    """A share in percent, `39 % [34, 44]`."""
    if value["value"] is None:
        return Cell("–", numeric=True, note=f"not defined: {value['refused']}")
    text = f"{rounded(100 * value['value'], 0)} %"
    if value["low"] is None:
        return Cell(text, numeric=True, note=f"no interval: {value['refused']}")
    low, high = (rounded(100 * value[end], 0) for end in ("low", "high"))
    return Cell(f"{text} [{low}, {high}]", numeric=True)

"""Estimates with their intervals as cells."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from analysis.tables.table import TableCell, rounded

PLACES = 2

Estimate = Mapping[str, Any]


def estimated(value: Estimate, places: int = PLACES) -> TableCell:
    """Return `0.55 [0.29, 0.73]`, with a note for missing parts."""
    return _cell(value, lambda number: rounded(number, places))


def shared_out(value: Estimate) -> TableCell:
    """Return a share in percent, `39% [34, 44]`."""
    return _cell(value, lambda number: rounded(100 * number, 0), "%")


def _cell(value: Estimate, written: Callable[[float], str], unit: str = "") -> TableCell:
    if value["value"] is None:
        return TableCell("–", numeric=True, note=f"not defined: {value['refused']}")
    text = f"{written(value['value'])}{unit}"
    if value["low"] is None:
        return TableCell(text, numeric=True, note=f"no interval: {value['refused']}")
    return TableCell(f"{text} [{written(value['low'])}, {written(value['high'])}]", numeric=True)

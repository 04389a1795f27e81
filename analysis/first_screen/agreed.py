"""How well annotators agree, as a picture: alpha of each measure on one axis from chance to perfect."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import floor
from typing import Any, Final

from analysis.first_screen.ranking import share_of
from analysis.stats.generic.tables import rows_of
from analysis.tables.agreement import TENTATIVE
from analysis.tables.wording import PLACES, limits, rounded

MARKS: Final = ((0.0, "chance"), (TENTATIVE, "usual minimum"), (1.0, "perfect"))
STEP: Final = 0.25


@dataclass(frozen=True)
class Measure:
    """One alpha; positions in percent of the axis, `low` and `high` empty without an interval."""

    title: str
    value: str
    interval: str
    at: str
    low: str
    high: str


@dataclass(frozen=True)
class Agreed:
    """All measures with a value, and the marks of the axis: position, alpha and meaning."""

    measures: tuple[Measure, ...]
    marks: tuple[tuple[str, str, str], ...]


def agreed(result: Mapping[str, Any]) -> Agreed | None:
    """Return the picture of an agreement report; None if no alpha has a value."""
    rows = rows_of(result, "agreement")
    measures = [
        (row["variable"], row["pooled"])
        for row in rows
        if row["level"] and row["pooled"]["value"] is not None
    ]
    if not measures:
        return None
    lowest = min(
        0.0,
        *(estimate[key] for _, estimate in measures for key in ("value", "low") if estimate[key] is not None),
    )
    start = floor(lowest / STEP) * STEP
    marks = tuple((_at(value, start), f"{value:g}", meaning) for value, meaning in MARKS)
    return Agreed(tuple(_measures(measures, start)), marks)


def _measures(found: list[tuple[str, Mapping[str, Any]]], start: float) -> Iterator[Measure]:
    for title, estimate in found:
        ends = ["" if estimate[key] is None else _at(estimate[key], start) for key in ("low", "high")]
        interval = limits(estimate) or "no interval"
        yield Measure(
            title, rounded(estimate["value"], PLACES), interval, _at(estimate["value"], start), *ends
        )


def _at(value: float, start: float) -> str:
    return share_of(value, (start, 1.0))

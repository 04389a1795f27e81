"""The one-line results of an annotators report's sections."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from analysis.tables.comparison.lines import counting
from analysis.tables.table import rounded
from analysis.tables.wording import PLACES, counted

Result = Mapping[str, Any]


def _level(result: Result) -> tuple[str, str]:
    people = sorted(result["annotators"], key=lambda entry: entry["level"]["value"] or 0)
    size = counted(len(people), "annotator")
    low, high = people[0], people[-1]
    if low["level"]["value"] is None or len(people) < 2:
        return "Mean scores, marks and severities", size
    return (
        f"Mean scores from {rounded(low['level']['value'], PLACES)} ({low['annotator']}) to "
        f"{rounded(high['level']['value'], PLACES)} ({high['annotator']})"
    ), size


def _others(result: Result) -> tuple[str, str]:
    known = [entry["against_others"] for entry in result["annotators"]]
    known = [estimate for estimate in known if estimate["low"] is not None]
    if not known:
        return "Too few shared images to compare annotators", ""
    apart = sum(not estimate["low"] <= 0 <= estimate["high"] for estimate in known)
    return f"{apart} of {len(known)} score clearly higher or lower than others on the same images", ""


def _drift(result: Result) -> tuple[str, str]:
    slopes = [entry["drift"]["slope"] for entry in result["annotators"] if entry["drift"]["slope"]]
    if not slopes:
        return f"Not assessed: {result['annotators'][0]['drift']['refused']}", ""
    moved = [slope for slope in slopes if slope["low"] is not None and not slope["low"] <= 0 <= slope["high"]]
    return f"The scores of {len(moved) or 'none'} of {len(slopes)} clearly rise or fall over time", ""


Maker = Callable[[Result], tuple[str, str]]
LINES: Final[Mapping[str, tuple[tuple[str, ...], Maker]]] = {
    "level": (("annotators",), _level),
    "others": (("annotators",), _others),
    "over-time": (("annotators",), _drift),
    "counted": (("answers",), counting),
}

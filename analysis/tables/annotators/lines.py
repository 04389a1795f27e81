"""The one-line results of an annotators report's sections."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from analysis.tables.comparison.lines import counting

Result = Mapping[str, Any]


def _others(result: Result) -> tuple[str, str]:
    known = [entry["against_others"] for entry in result["annotators"]]
    known = [estimate for estimate in known if estimate["low"] is not None]
    if not known:
        return "Too few shared images to compare annotators", ""
    apart = sum(not estimate["low"] <= 0 <= estimate["high"] for estimate in known)
    return f"{apart} of {len(known)} score clearly higher or lower than others on the same images", ""


Maker = Callable[[Result], tuple[str, str]]
LINES: Final[Mapping[str, tuple[tuple[str, ...], Maker]]] = {
    "others": (("annotators",), _others),
    "counted": (("answers",), counting),
}

"""The one-line result of each section of a report, shown while the section is folded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from analysis.tables.agreement.lines import LINES as AGREEMENT
from analysis.tables.listed import counting, listed_line

Result = Mapping[str, Any]
Maker = Callable[[Result], tuple[str, str]]
"""Makes the line and its count from a result."""


class Line(NamedTuple):
    """The result in one sentence, without a full stop, and how much is behind it (`3 tests`)."""

    text: str
    size: str = ""


KINDS: Final[Mapping[str, Mapping[str, tuple[tuple[str, ...], Maker]]]] = {
    "agreement": AGREEMENT,
}
"""By kind and section: the keys of the result that the line needs, and its maker."""


def line_of(kind: str, section: str, result: Result) -> Line | None:
    """Return a section's line; None without one, or if the result was stored without its numbers."""
    if "tables" in result:
        if section == "answers" and result.get("answers"):
            return Line(*counting(result))
        return Line(*found) if (found := listed_line(section, result)) else None
    keys, make = KINDS.get(kind, {}).get(section, ((), None))
    if make is None or not all(result.get(key) for key in keys):
        return None
    return Line(*make(result))

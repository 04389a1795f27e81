"""The finding of a comparison as a heading, and the means behind it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from analysis.first_screen.ranking import Order
from analysis.tables.table import named, rounded
from analysis.tables.wording import PLACES, counted, listed

NAMED: Final = 3
MEANS: Final = 5


@dataclass(frozen=True)
class Headline:
    """The finding; `clear` if it is one. `means` are names with mean scores, best first; `more`: the rest."""

    text: str
    clear: bool
    means: tuple[tuple[str, str], ...] = ()
    more: str = ""


def headline_of(order: Order) -> Headline:
    """Return the heading: who is best, if the mixed model tells them from all others."""
    text, clear = _finding(order)
    known = [row for row in order.rows if row["mean"]["value"] is not None]
    return Headline(
        text,
        clear,
        tuple((named(row["generator"]), rounded(row["mean"]["value"], PLACES)) for row in known[:MEANS]),
        counted(len(known) - MEANS, "other") if len(known) > MEANS else "",
    )


def _finding(order: Order) -> tuple[str, bool]:
    """Return the finding, and whether it is a clear one."""
    if len(order.rows) == 1:
        return f"{named(order.rows[0]['generator'])} is the only generator", False
    if leaders := order.leaders():
        verb = "is" if len(leaders) == 1 else "are"
        return f"{_some(leaders)} {verb} best", True
    if not order.tests:
        return "No verdict on the generators", False
    for row in order.rows:
        if worse := order.worse_than(row["generator"]):
            return f"{named(row['generator'])} is better than {_some(worse)}", True
    return "No generator is clearly best", False


def _some(names: list[str]) -> str:
    return listed([named(name) for name in names]) if len(names) <= NAMED else f"{len(names)} generators"

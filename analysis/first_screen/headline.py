"""The finding of a comparison as a heading, and the means behind it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from analysis.first_screen.basis import BY_ANNOTATION, BY_IMAGE, FEWEST, Basis
from analysis.first_screen.ranking import Order
from analysis.tables.table import rounded
from analysis.tables.wording import PLACES, counted, listed

NAMED: Final = 3
OTHERS: Final = 4

_SCORES: Final = {
    BY_IMAGE: "Mean score {} per image",
    BY_ANNOTATION: "Mean score {} per annotation",
}


@dataclass(frozen=True)
class Headline:
    """The finding; `clear` if it is one. `before`, `value` and `others` are the means, best first."""

    text: str
    clear: bool
    before: str = ""
    value: str = ""
    after: str = ""
    others: tuple[tuple[str, str], ...] = ()
    more: str = ""


def headline_of(order: Order, errors: str = "anatomical errors") -> Headline:
    """Return the heading: who makes the fewest errors, if the mixed model tells them from all others."""
    ranked = order.ranked
    if not ranked:
        return Headline(
            "Too few scores for a ranking",
            clear=False,
            before=f"A generator needs {FEWEST} scored {_units(order.basis)}; "
            + listed([f"{one.generator or '(none)'} has {one.n}" for one in order.others[:OTHERS]]),
        )
    if len(ranked) == 1:
        name = ranked[0].generator or "(none)"
        only = f"Only {name} has enough scores" if order.others else f"{name} is the only generator"
        return _with_means(order, Headline(only, clear=False))
    leaders = order.leaders()
    if not leaders:
        return _with_means(order, Headline("No clear ranking yet", clear=False))
    names = [name or "(none)" for name in leaders]
    if len(names) == 1:
        return _with_means(order, Headline(f"{names[0]} makes the fewest {errors}", clear=True))
    who = listed(names) if len(names) <= NAMED else f"{len(names)} generators"
    return _with_means(order, Headline(f"{who} make the fewest {errors}", clear=True))


def _with_means(order: Order, headline: Headline) -> Headline:
    first, *rest = order.ranked
    before, _, after = _SCORES[order.basis.slug].partition("{}")
    return Headline(
        headline.text,
        clear=headline.clear,
        before=before if headline.clear or not rest else f"{first.generator or '(none)'} ",
        value=_two(first.mean["value"]),
        after=after if headline.clear or not rest else "",
        others=tuple((one.generator or "(none)", _two(one.mean["value"])) for one in rest[:OTHERS]),
        more=counted(len(rest) - OTHERS, "other") if len(rest) > OTHERS else "",
    )


def _units(basis: Basis) -> str:
    return f"{basis.unit}s"


def _two(value: float) -> str:
    return rounded(value, PLACES)

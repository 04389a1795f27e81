"""What a body map shows, as its heading and sentences."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from analysis.tables.comparison.body_map import BodyMap, Kind
from analysis.tables.wording import listed
from scoring.grid.taxonomy import BODY_PART_NOUNS, BODY_PARTS
from scoring.rounding import percent

LEVEL: Final = 0.05
MOST_NAMED: Final = 3
_HOW: Final = "paired t test over images against every other body part"
_SAID: Final[dict[Kind, str]] = {
    "abc": "{} go wrong most",
    "c": "{} have the most severe errors",
    "pins": "{} have the most pins",
}
_OPEN: Final[dict[Kind, str]] = {
    "abc": "No body part clearly goes wrong more than the others",
    "c": "No body part clearly has the most severe errors",
}
_NOTHING: Final[dict[Kind, str]] = {
    "abc": "No errors were marked",
    "c": "No severe errors were marked",
    "pins": "No pins were set",
}


def heading(maps: Sequence[BodyMap], kind: Kind) -> str:
    """Return the finding: the body part with the largest amount of each generator.

    Where that was tested, only generators for which it is clear are named.
    """
    if not any(generator.total.value for generator in maps):
        return _NOTHING[kind]
    named_of = _clear(tested) if (tested := _tested(maps)) else maps
    if not named_of:
        return _OPEN[kind]
    groups: dict[str, list[str]] = {}
    for generator in named_of:
        if (part := most_of(generator)) is not None:
            groups.setdefault(part, []).append(generator.generator)
    if not groups:
        return "Too few errors to say where bodies go wrong"
    ordered = sorted(groups.items(), key=lambda group: (-len(group[1]), BODY_PARTS.index(group[0])))
    first = _SAID[kind].format(_plural(ordered[0][0]).capitalize())
    named = sum(map(len, groups.values()))
    if len(ordered) == 1 and named == len(maps):
        return first if len(maps) == 1 else f"{first}, whichever the generator"
    if len(maps) > 2 * MOST_NAMED:
        return f"{first} with {len(ordered[0][1])} of {len(maps)} generators"
    rest = [f"{_plural(part)} with {listed(names)}" for part, names in ordered[1:]]
    return ", ".join([f"{first} with {listed(ordered[0][1])}", *rest])


def most_of(each: BodyMap) -> str | None:
    """Return the body part with the largest amount; None if it is marked in too few annotations."""
    part = max(BODY_PARTS, key=lambda name: each.parts[name].value)
    return part if each.parts[part].value and each.parts[part].enough else None


def certainty(maps: Sequence[BodyMap]) -> str:
    """Return for which generators the largest body part was shown to exceed all others; empty if untested."""
    tested = _tested(maps)
    clear = [generator.generator for generator in _clear(tested)]
    if not tested:
        return ""
    if not clear:
        return f"Another body part may go wrong as much as the one with the largest mean ({_HOW})."
    who = "" if len(maps) == 1 else f" for {_who(clear, len(maps))}"
    left = [generator for generator in tested if generator.generator not in clear]
    return " ".join(filter(None, (f"This is clear{who} ({_HOW}, p < 0.05).", _open_for(left))))


def _tested(maps: Sequence[BodyMap]) -> list[BodyMap]:
    return [
        generator for generator in maps if generator.p is not None and most_of(generator) == generator.most
    ]


def _clear(tested: Sequence[BodyMap]) -> list[BodyMap]:
    return [generator for generator in tested if generator.p is not None and generator.p < LEVEL]


def _who(clear: Sequence[str], of: int) -> str:
    if len(clear) == of:
        return "every generator"
    return listed(clear) if len(clear) <= MOST_NAMED else f"{len(clear)} of {of} generators"


def _open_for(left: Sequence[BodyMap]) -> str:
    if not left or len(left) > MOST_NAMED:
        return ""
    return (
        f"With {listed([generator.generator for generator in left])}, another body part may go wrong as much."
    )


def legend(steps: Sequence[float], *, shares: bool = False) -> list[str]:
    """Return what the shades mean, lightest first: `under 0.02`, `0.02 to 0.10`, `0.50 or more`."""
    texts = [_step(step, shares, steps[0] < 0.02) for step in steps]
    between = [f"{low} to {high}" for low, high in pairwise(texts)]
    return [f"under {texts[0]}", *between, f"{texts[-1]} or more"]


def _step(step: float, shares: bool, fine: bool) -> str:
    return f"{percent(step)}%" if shares else f"{step:.{3 if fine else 2}f}"


def _plural(part: str) -> str:
    return BODY_PART_NOUNS[part][1]

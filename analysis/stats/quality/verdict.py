"""One line per annotator: fine, look, stop, or too few annotations to say.

docs/reference/statistics.md lists the thresholds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from analysis.stats.quality.anchors import FEWEST, Anchored, anchored
from analysis.stats.quality.habits import EQUAL, FAST_MS, TIMED, Habits, habits_of, never_used
from analysis.stats.quality.records import Person
from analysis.stats.quality.repeats import PAIRS, Intra, intra
from scoring.protocol import Variable

Verdict = Literal["stop", "look", "fine", "few"]
Code = Literal["fast", "away", "unstable", "hasty", "equal", "unused"]

HASTY: Final = 0.25
"""Share of fast annotations from which a lead should look."""
STOPS: Final = frozenset({"fast"})


@dataclass(frozen=True)
class Reading:
    """All that is computed of one annotator; `reasons` explain the verdict, the worst first."""

    person: Person
    anchored: Anchored
    intra: Intra
    habits: Habits
    unused: tuple[int, ...]
    verdict: Verdict
    reasons: tuple[Code, ...]


def read_all(people: Sequence[Person], headline: Variable, fast_ms: int = FAST_MS) -> list[Reading]:
    """Return the reading of every annotator, in their order; each is compared with all others."""
    habits = [habits_of(person.work, fast_ms) for person in people]
    found = []
    for place, person in enumerate(people):
        others = [each for at, each in enumerate(habits) if at != place]
        beside = anchored([one.difference for one in person.anchors])
        own, again = habits[place], intra(person.repeats, headline)
        unused = never_used(own, others)
        reasons = _reasons(own, unused, beside, again, fast_ms)
        verdict = _verdict(reasons, person, own)
        found.append(Reading(person, beside, again, own, unused, verdict, reasons))
    return found


def _reasons(
    own: Habits, unused: Sequence[int], beside: Anchored, again: Intra, fast_ms: int
) -> tuple[Code, ...]:
    timed = own.timed >= TIMED
    is_fast = timed and own.median_ms is not None and own.median_ms < fast_ms
    held: dict[Code, bool] = {
        "fast": is_fast,
        "away": beside.is_away,
        "unstable": again.is_unstable,
        "hasty": timed and not is_fast and (own.fast_share or 0) >= HASTY,
        "equal": own.all_equal,
        "unused": bool(unused),
    }
    return tuple(code for code, holds in held.items() if holds)


def _verdict(reasons: Sequence[Code], person: Person, own: Habits) -> Verdict:
    if reasons:
        return "stop" if STOPS & set(reasons) else "look"
    enough = (
        own.timed >= TIMED
        or own.annotations >= EQUAL
        or len(person.anchors) >= FEWEST
        or len(person.repeats) >= PAIRS
    )
    return "fine" if enough else "few"

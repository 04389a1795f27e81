"""One line per annotator: fine, look, stop, or too few annotations to say.

docs/reference/statistics.md lists the thresholds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from analysis.stats.frames import Floats
from analysis.stats.quality.control import BASELINE, Chart, chart
from analysis.stats.quality.habits import FAST_MS, LONG_RUN, TIMED, Habits, habits_of, is_flat, never_used
from analysis.stats.quality.records import Person
from analysis.stats.quality.repeats import PAIRS, Intra, intra
from scoring.protocol import Variable

Verdict = Literal["stop", "look", "fine", "few"]
Code = Literal["fast", "flat", "drift", "steps", "unstable", "hasty", "unused"]

HASTY: Final = 0.25
"""Share of fast annotations from which a lead should look."""
STOPS: Final = frozenset({"fast", "flat"})
ALL_ALIKE: Final = "the first anchors all differ equally from their references"


@dataclass(frozen=True)
class Reading:
    """All that is computed of one annotator; `reasons` explain the verdict, the worst first."""

    person: Person
    score: Chart
    step: Chart
    intra: Intra
    habits: Habits
    unused: tuple[int, ...]
    verdict: Verdict
    reasons: tuple[Code, ...]


def read_all(people: Sequence[Person], headline: Variable, fast_ms: int = FAST_MS) -> list[Reading]:
    """Return the reading of every annotator, in their order; each is compared with all others."""
    habits = [habits_of(person.work, fast_ms) for person in people]
    scores = [[one.difference for one in person.anchors] for person in people]
    steps = [[one.step for one in person.anchors if one.step is not None] for person in people]
    score_sigma, step_sigma = pooled_sigma(scores), pooled_sigma(steps)
    found = []
    for place, person in enumerate(people):
        others = [each for at, each in enumerate(habits) if at != place]
        of_score, of_step = _charted(scores[place], score_sigma), _charted(steps[place], step_sigma)
        own, again = habits[place], intra(person.repeats, headline)
        unused = never_used(own, others)
        reasons = _reasons(own, others, unused, of_score, of_step, again, fast_ms)
        verdict = _verdict(reasons, person, own)
        found.append(Reading(person, of_score, of_step, again, own, unused, verdict, reasons))
    return found


def pooled_sigma(differences: Sequence[Sequence[float]]) -> float | None:
    """Return the standard deviation within annotators of their first `BASELINE` differences each.

    The root of the mean variance of everybody with so many; None if nobody has, 0 if they never vary. A
    single annotator's own would be too uncertain.
    """
    firsts = [each[:BASELINE] for each in differences if len(each) >= BASELINE]
    if not firsts:
        return None
    found: Floats = np.asarray(firsts, dtype=np.float64)
    variance = float(found.var(axis=1, ddof=1).mean())
    return variance**0.5 if variance > 1e-18 else 0.0


def _charted(differences: Sequence[float], sigma: float | None) -> Chart:
    if len(differences) < BASELINE:
        return chart(differences, sigma, f"too few: {len(differences)} of {BASELINE} anchors")
    return chart(differences, sigma, "" if sigma else ALL_ALIKE)


def _reasons(
    own: Habits,
    others: Sequence[Habits],
    unused: Sequence[int],
    of_score: Chart,
    of_step: Chart,
    again: Intra,
    fast_ms: int,
) -> tuple[Code, ...]:
    timed = own.timed >= TIMED
    is_fast = timed and own.median_ms is not None and own.median_ms < fast_ms
    held: dict[Code, bool] = {
        "fast": is_fast,
        "flat": is_flat(own, others),
        "drift": of_score.alarms,
        "steps": of_step.alarms,
        "unstable": again.is_unstable,
        "hasty": timed and not is_fast and (own.fast_share or 0) >= HASTY,
        "unused": bool(unused),
    }
    return tuple(code for code, holds in held.items() if holds)


def _verdict(reasons: Sequence[Code], person: Person, own: Habits) -> Verdict:
    if reasons:
        return "stop" if STOPS & set(reasons) else "look"
    enough = (
        own.timed >= TIMED
        or own.annotations >= LONG_RUN
        or len(person.anchors) >= BASELINE
        or len(person.repeats) >= PAIRS
    )
    return "fine" if enough else "few"

"""How often the quality report alarms without reason, and how long it takes to see a planted change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from analysis.stats.coverage.watched import ANCHORS, DRIFTS_AFTER, Situation, people_of
from analysis.stats.frames import Bools
from analysis.stats.quality.control import Chart, alarms
from analysis.stats.quality.verdict import Reading, read_all
from scoring.protocol import Variable

SEED: Final = 20240821
RUNS: Final = 1000

Told = Callable[[int, int], None]


@dataclass
class Alarms:
    """The counts of one situation over `people` annotators.

    `verdicts` and `reasons` are those at the end. `early` is how many had a drift alarm at any of the first
    `DRIFTS_AFTER` anchors, `ever` at any time; `delays` are the anchors from the change to the first alarm
    after it, infinite without one.
    """

    situation: Situation
    people: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    early: int = 0
    ever: int = 0
    delays: dict[str, list[float]] = field(default_factory=lambda: {"score": [], "step": [], "either": []})

    def per_hundred(self, count: int) -> float:
        """Return a count per 100 annotators."""
        return 100 * count / self.people

    def seen_within(self, chart: str, share: float) -> float:
        """Return the anchors within which this share of the annotators had an alarm; infinite if none."""
        ordered = sorted(self.delays[chart])
        return ordered[max(int(np.ceil(share * len(ordered))) - 1, 0)]


def alarms_in(situation: Situation, runs: int = RUNS, told: Told | None = None) -> Alarms:
    """Return the alarms of a situation; `told` receives completed and total runs."""
    rng = np.random.default_rng([SEED, *situation.name.encode()])
    headline = Variable("score", "Score", "interval", "simulated", headline=True)
    found = Alarms(situation)
    for run in range(runs):
        readings = read_all(people_of(situation, rng), headline)
        for reading in readings[: 1 if situation.one_only else None]:
            _add(found, reading)
        if told:
            told(run + 1, runs)
    return found


def _add(found: Alarms, reading: Reading) -> None:
    found.people += 1
    found.verdicts[reading.verdict] += 1
    found.reasons.update(reading.reasons)
    places = [place for place, one in enumerate(reading.person.anchors) if one.step is not None]
    score = _by_anchor(reading.score, range(ANCHORS))
    step = _by_anchor(reading.step, places)
    either = score | step
    found.early += bool(either[:DRIFTS_AFTER].any())
    found.ever += bool(either.any())
    for name, seen in (("score", score), ("step", step), ("either", either)):
        after = np.flatnonzero(seen[DRIFTS_AFTER:])
        found.delays[name].append(float(after[0] + 1) if len(after) else float("inf"))


def _by_anchor(chart: Chart, places: Sequence[int]) -> Bools:
    """Return (ANCHORS,): whether a chart of the anchors at these places alarms after each anchor."""
    seen = np.zeros(ANCHORS, dtype=np.bool_)
    if chart.sigma:
        at = np.searchsorted(np.asarray(places), np.arange(ANCHORS), side="right") - 1
        now = alarms(chart.average, chart.limit)
        seen[at >= 0] = now[at[at >= 0]]
    return seen

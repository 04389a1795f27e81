"""A round of a race: jobs started together, each in a thread with its own connection."""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final
from unittest import mock

from django.db import connection
from django.http.response import HttpResponseBase

from tests.annotator.racing import race

Job = Callable[[], object]

LONGEST_DELAY: Final = 0.03
"""Seconds: about the length of a request, so that every order of two requests occurs."""
SWITCHES: Final = 0.0005
"""Seconds before Python switches threads; a tenth of its default."""
OURS: Final = ("annotator.", "analysis.")


@dataclass(frozen=True)
class Scenario:
    """One race: `play` creates the rows, races and checks the invariants."""

    name: str
    play: Callable[[Round], None]


@dataclass
class Round:
    """One run of a scenario; `kinds` are the outcomes, `broken` the violated invariants."""

    name: str
    number: int
    kinds: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)

    def race(self, *jobs: Job) -> list[Any]:
        """Let the jobs loose, every other one a little later, and return what each returned or raised.

        Whatever is raised that is no refusal of ours, and an answer of 500 or above, breaks the round.
        """
        chance = random.Random(f"{self.name} {self.number}")
        late = [chance.choice((0.0, chance.uniform(0, LONGEST_DELAY))) for _ in jobs]
        outcomes = race([partial(_after, *each) for each in zip(late, jobs, strict=True)])
        self.kinds += [kind_of(outcome) for outcome in outcomes]
        for outcome in outcomes:
            self.holds(f"nothing unforeseen, not {outcome!r:.200}", _foreseen(outcome))
        return outcomes

    def holds(self, what: str, truth: bool) -> None:
        """Record a violated invariant."""
        if not truth:
            self.broken.append(what)


@dataclass
class Found:
    """The outcomes of all rounds of a scenario."""

    name: str
    rounds: int = 0
    seconds: float = 0.0
    outcomes: Counter[str] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)

    @property
    def broken_rounds(self) -> int:
        """The number of rounds with a violated invariant."""
        return len({line.split(":")[0] for line in self.broken})


def play(scenario: Scenario, rounds: int) -> Found:
    """Play a scenario so many times.

    On SQLite every second round takes away the turn that writers of one process take, so that only the
    database keeps them apart, as it does several processes.
    """
    found, begun = Found(scenario.name), time.monotonic()
    with often_switched():
        for number in range(rounds):
            one = Round(scenario.name, number)
            with _as_processes() if number % 2 else nullcontext():
                scenario.play(one)
            found.rounds += 1
            found.outcomes[in_short(one.kinds)] += 1
            found.broken += [f"round {number}: {what}" for what in one.broken]
    found.seconds = time.monotonic() - begun
    return found


def in_short(kinds: list[str]) -> str:
    """Return the outcomes of one round as a line: `1 200, 3 409 stale`."""
    return ", ".join(f"{count} {kind}" for kind, count in sorted(Counter(kinds).items()))


def kind_of(outcome: object) -> str:
    """Return an outcome in one or two words."""
    if isinstance(outcome, HttpResponseBase):
        error = ""
        if outcome.get("Content-Type") == "application/json" and outcome.status_code >= 400:
            error = outcome.json().get("error", "")  # type: ignore[attr-defined]
        return f"{outcome.status_code} {error}".strip()
    if words := getattr(outcome, "in_words", ""):
        return str(words)
    if isinstance(outcome, str | bool | int) or outcome is None:
        return str(outcome)
    return type(outcome).__name__


def _after(seconds: float, job: Job) -> object:
    time.sleep(seconds)
    return job()


def _foreseen(outcome: object) -> bool:
    if isinstance(outcome, HttpResponseBase):
        return outcome.status_code < 500
    return not isinstance(outcome, Exception) or type(outcome).__module__.startswith(OURS)


def _as_processes() -> AbstractContextManager[Any]:
    if connection.vendor != "sqlite":
        return nullcontext()
    return mock.patch("annotator.database.transactions._SQLITE_TURN", nullcontext())


@contextmanager
def often_switched() -> Iterator[None]:
    """Switch threads more often, so that they meet in more places."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(SWITCHES)
    try:
        yield
    finally:
        sys.setswitchinterval(before)

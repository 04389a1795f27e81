"""The time of an annotator's next request."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

from benchmarks.load.walk import SAVE, SUBMIT

Pace = Callable[[str], float]
"""Kind of request → the moment it is due, from which it is timed."""


def pace_of(told: dict[str, Any], begun: float) -> Pace:
    """Return when to send a request: immediately, after a pause, or at a fixed rate."""
    if told["pace"] == "closed":
        return lambda _kind: time.monotonic()
    dice = random.Random(1)
    if told["pace"] == "thinking":
        # People pause before entries; the page fetches immediately.
        mean = told["think_seconds"]
        firsts = iter(range(told["annotators"]))

        def thought(kind: str) -> float:
            now = time.monotonic()
            if next(firsts, None) is not None:
                return now + dice.uniform(0, mean)  # nobody begins together
            return now + dice.uniform(0.5, 1.5) * mean if kind in {SAVE, SUBMIT} else now

        return thought
    turns: Iterator[float] = (begun + turn / told["rate"] for turn in count())
    return lambda _kind: next(turns)

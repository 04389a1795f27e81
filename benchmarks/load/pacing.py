"""When an annotator's next request goes out."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

from benchmarks.load.walk import SAVE, SUBMIT

Pace = Callable[[str], float]
"""Kind of the request → the moment at which it is due; its time counts from then."""


def pace_of(told: dict[str, Any], begun: float) -> Pace:
    """Return when a request is to be sent: at once; after a pause; or in its turn of a fixed rate."""
    if told["pace"] == "closed":
        return lambda _kind: time.monotonic()
    dice = random.Random(1)
    if told["pace"] == "thinking":
        # A person thinks before what they enter; what the page fetches it fetches at once.
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

"""Seeded chance that gives the same answers on every Python from 3.11 on.

Only `random.Random(text)` and its `random()` are used: both are documented as stable. `randrange`,
`choice`, `shuffle` and `gauss` may change between versions, so what is needed of them is built here.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")


class Chance:
    """A stream of reproducible draws named by text, e.g. `Chance("7/model-a/person waving/3")`."""

    def __init__(self, name: str) -> None:
        self._random = Random(name)  # noqa: S311 - pictures and simulated answers, no secrets

    def unit(self) -> float:
        """Return a number in [0, 1)."""
        return self._random.random()

    def between(self, low: float, high: float) -> float:
        """Return a number in [low, high)."""
        return low + (high - low) * self.unit()

    def happens(self, probability: float) -> bool:
        """Return True with this probability (0 never, 1 always)."""
        return self.unit() < probability

    def below(self, stop: int) -> int:
        """Return a whole number in 0 .. stop - 1."""
        return int(self.unit() * stop)

    def choice(self, items: Sequence[T]) -> T:
        """Return one of the items, each as likely."""
        return items[self.below(len(items))]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """Return the items in a random order (Fisher-Yates)."""
        deck = list(items)
        for last in range(len(deck) - 1, 0, -1):
            other = self.below(last + 1)
            deck[last], deck[other] = deck[other], deck[last]
        return deck

    def rounded(self, value: float) -> int:
        """Return the whole number below or above, so that the mean of many draws is `value`."""
        whole = int(value)
        return whole + self.happens(value - whole)

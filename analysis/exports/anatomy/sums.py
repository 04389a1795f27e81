"""Scores as whole numbers of one small unit: as exact as fractions, and many times faster to add."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from math import lcm
from operator import itemgetter
from typing import Any, Final

from scoring.grid.notation import LARGEST_COUNT
from scoring.grid.scores import Weights

# Every total divides it, so every error fraction is a whole number of parts.
PARTS: Final = lcm(*range(1, LARGEST_COUNT + 1))

Counts = tuple[str, str, str, int, int | None]
"""Type, part, severity, affected and total of a mark; a draft's may lack its total."""
counts_of = itemgetter("type", "part", "severity", "affected", "total")


class Sums:
    """What marks add up to under given weights, in units: divide by `unit` for the score."""

    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self._finest = lcm(*(weight.denominator for weight in weights.values()))
        self.unit = PARTS * self._finest
        self.score = cache(self._score)

    def _score(self, severity: str, affected: int, total: int) -> int:
        """Error fraction times weight."""
        weight = self._weights[severity]
        return affected * (PARTS // total) * weight.numerator * (self._finest // weight.denominator)

    def fraction(self, affected: int, total: int) -> int:
        """Error fraction alone."""
        return affected * (self.unit // total)

    def total(self, marks: Iterable[Mapping[str, Any]]) -> int:
        """The cumulative score of an answer; its marks all have their total."""
        score = self.score
        return sum([score(*found) for found in map(_SCORED, marks)])


_SCORED: Final = itemgetter("severity", "affected", "total")

"""Scores as whole numbers of a small unit: as exact as fractions and much faster."""

from __future__ import annotations

from functools import cache
from math import lcm
from typing import Final

from scoring.grid.notation import LARGEST_COUNT
from scoring.grid.severity_weights import Weights

# Divisible by every total, so that every error fraction is a whole number of parts.
PARTS: Final = lcm(*range(1, LARGEST_COUNT + 1))


class ScoreSums:
    """Sums of marks under given weights, in units; divide by `unit` for the score."""

    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self._finest = lcm(*(weight.denominator for weight in weights.values()))
        self.unit = PARTS * self._finest
        self.score = cache(self._score)

    def _score(self, severity: str, affected: int, total: int) -> int:
        """Return the error fraction times the weight, in units."""
        weight = self._weights[severity]
        return affected * (PARTS // total) * weight.numerator * (self._finest // weight.denominator)

    def fraction(self, affected: int, total: int) -> int:
        """Return the error fraction, in units."""
        return affected * (self.unit // total)

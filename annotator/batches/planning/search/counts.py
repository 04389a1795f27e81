"""Counts with bounds, and the penalty of changing a count."""

from __future__ import annotations

from collections.abc import Callable, Iterable

Bounds = tuple[int, int]


class BoundedCounts:
    """Counts by an integer key; the penalty of one is its squared distance from its bounds, times a weight.

    `watched` are keys without a count that may be below their bounds from the start.
    """

    def __init__(self, bounds: Callable[[int], Bounds], watched: Iterable[int], weight: int = 1) -> None:
        self.values: dict[int, int] = {}
        self._weight = weight
        self._bounds = bounds
        self._watched: Iterable[int] = watched
        self._known: dict[int, Bounds] = {}
        self._outside: dict[int, None] = {}

    def bounds(self, key: int) -> Bounds:
        """Return the smallest and largest count without penalty."""
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._bounds(key)
        return found

    def step(self, key: int, change: int) -> int:
        """Change a count by 1 or -1 and return the change of the penalty."""
        before = self.values.get(key, 0)
        after = self.values[key] = before + change
        low, high = self._known.get(key) or self.bounds(key)
        if low <= before <= high and low <= after <= high:
            return 0
        if low <= after <= high:
            self._outside.pop(key, None)
        else:
            self._outside[key] = None
        return self._weight * (_penalty(after, low, high) - _penalty(before, low, high))

    def excess(self, key: int) -> int:
        """Return how far a count is above (positive) or below (negative) its bounds."""
        value = self.values.get(key, 0)
        low, high = self.bounds(key)
        return value - high if value > high else min(0, value - low)

    def wrong(self) -> list[int]:
        """Return the keys of counts outside their bounds, in order."""
        for key in self._watched:
            if self.excess(key):
                self._outside[key] = None
        self._watched = ()
        return sorted(self._outside)


def _penalty(value: int, low: int, high: int) -> int:
    if value < low:
        return (low - value) ** 2
    return (value - high) ** 2 if value > high else 0

"""Deal images to annotators, and pass unstarted ones on until totals are even and no limit is exceeded."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from annotator.batches.planning.assigning.exchanges import Exchanges
from annotator.batches.planning.randomness import Stream

LOOKED_AT: Final = 24
"""Images or annotators compared for one assignment: a sample of this size keeps the cost linear."""

_ABOVE_LIMIT: Final = 1 << 40
_START: Final = (-1, -1)

Way = dict[int, tuple[int, int]]
"""annotator -> (who would pass an image on to them, that image)."""


class Dealing:
    """By annotator who stays or joins: images `had`, `wanted` in the end, at most, and `free` to be moved."""

    def __init__(
        self,
        plan: Exchanges,
        had: list[int],
        wanted: Sequence[int],
        limits: Sequence[int],
        free: list[list[int]],
        stream: Stream,
    ) -> None:
        self.plan, self.had, self.wanted, self.limits = plan, had, wanted, limits
        self.free, self.stream = free, stream
        self._people = range(len(had))

    def cover(self, image: int) -> bool:
        """Give an image to one more annotator, whatever the limits; return False if nobody may take it."""
        able = [one for one in self._people if self.plan.may_take(image, one)]
        lowest = min((self._height(one, 1) for one in able), default=0)
        alike = self.stream.shuffled([one for one in able if self._height(one, 1) <= max(0, lowest)])
        if alike:
            self._give(image, min(alike[:LOOKED_AT], key=lambda one: self._cost(image, one)))
        return bool(alike)

    def level(self) -> int:
        """Pass free images on, over others if need be, until nobody can relieve somebody who stands higher.

        Return how many images are above the limits in the end.
        """
        while sum(self._relieve(one) for one in self.stream.shuffled(list(self._people))):
            pass
        return sum(max(0, had - most) for had, most in zip(self.had, self.limits, strict=True))

    def _height(self, one: int, more: int = 0) -> int:
        """Return how far somebody with so many more images would be above their total, or their limit."""
        had = self.had[one] + more
        return had - self.wanted[one] + _ABOVE_LIMIT * (had > self.limits[one])

    def _relieve(self, giver: int) -> bool:
        best, least = giver, self._height(giver)
        lowest = min(self._height(one, 1) for one in self._people)
        way: Way = {giver: _START}
        for one in self._reached(giver, way) if lowest < least else ():
            if self._height(one, 1) < least:
                best, least = one, self._height(one, 1)
            if least == lowest:
                break
        self._pass_on(best, way)
        return best != giver

    def _reached(self, start: int, way: Way) -> Iterator[int]:
        """Yield whom a free image can reach over others, the nearest and the lowest first."""
        waiting = deque([start])
        while waiting:
            giver = waiting.popleft()
            for taker in sorted((one for one in self._people if one not in way), key=self._height):
                fitting = (image for image in self.free[giver] if self.plan.may_take(image, taker))
                looked_at = islice(fitting, LOOKED_AT)
                if costs := [(self._cost(image, taker, giver), image) for image in looked_at]:
                    way[taker] = giver, min(costs)[1]
                    waiting.append(taker)
                    yield taker

    def _pass_on(self, last: int, way: Way) -> None:
        while way[last] != _START:
            giver, image = way[last]
            self.plan.take(image, giver)
            self.free[giver].remove(image)
            self.had[giver] -= 1
            self._give(image, last)
            last = giver

    def _give(self, image: int, one: int) -> None:
        self.plan.give(image, one)
        self.free[one].append(image)
        self.had[one] += 1

    def _cost(self, image: int, taker: int, giver: int | None = None) -> int:
        """Return what giving an image, or passing it on, changes of the penalty."""
        cost = 0 if giver is None else self.plan.take(image, giver)
        cost += self.plan.give(image, taker)
        self.plan.take(image, taker)
        if giver is not None:
            self.plan.give(image, giver)
        return cost

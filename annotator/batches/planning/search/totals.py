"""Restore totals after a limit left a cell no room, by passing assignments along a chain."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from annotator.batches.planning.randomness import Stream
from annotator.batches.planning.search.bounds import integers_around
from annotator.batches.planning.search.pairing import feasible


def fit(held: dict[int, int], images: int, shared: int, coders: int, people: int, stream: Stream) -> bool:
    """Change the holdings of a cell until no annotator needs an image twice.

    Necessary only for very unequal shares; return whether it was.
    """
    if feasible(held, shared, images - shared, coders):
        return False
    order = stream.shuffled(list(range(people)))
    while not feasible(held, shared, images - shared, coders):
        most = max(order, key=lambda one: held.get(one, 0))
        least = min(order, key=lambda one: held.get(one, 0))
        held[most] -= 1
        held[least] = held.get(least, 0) + 1
    return True


class Totals:
    """Move assignments between annotators until each total is next to its share."""

    def __init__(self, coders: list[list[int]], shares: Sequence[Fraction]) -> None:
        self.coders = coders
        self.bounds = [integers_around(share) for share in shares]
        self.images: list[list[int]] = [[] for _ in shares]
        for image, people in enumerate(coders):
            for one in people:
                self.images[one].append(image)

    def settle(self) -> None:
        """Pass assignments on while an annotator is outside the bounds and a chain exists."""
        while True:
            sizes = [len(images) for images in self.images]
            above = [one for one, (_, high) in enumerate(self.bounds) if sizes[one] > high]
            below = [one for one, (low, _) in enumerate(self.bounds) if sizes[one] < low]
            spare = [one for one, (low, _) in enumerate(self.bounds) if sizes[one] > low]
            space = [one for one, (_, high) in enumerate(self.bounds) if sizes[one] < high]
            if not (above or below) or not self._pass_on(above or spare, below or space):
                return

    def _pass_on(self, givers: list[int], takers: list[int]) -> bool:
        came: dict[int, int] = dict.fromkeys(givers, -1)
        queue = list(givers)
        for one in queue:
            if one in takers:
                while came[one] >= 0:
                    self._move(came[one], one)
                    one = came[one]
                return True
            for other in range(len(self.bounds)):
                if other not in came and self._passable(one, other) >= 0:
                    came[other] = one
                    queue.append(other)
        return False

    def _passable(self, giver: int, taker: int) -> int:
        return next((image for image in self.images[giver] if taker not in self.coders[image]), -1)

    def _move(self, giver: int, taker: int) -> None:
        image = self._passable(giver, taker)
        self.coders[image].remove(giver)
        self.coders[image].append(taker)
        self.images[giver].remove(image)
        self.images[taker].append(image)

"""Reassign the open work of annotators who leave, and move assignments until totals are even."""

from __future__ import annotations

from collections.abc import Sequence

from annotator.batches.planning.assigning.exchanges import Exchanges
from annotator.batches.planning.randomness import Stream

LOOKED_AT = 24
"""Images compared for one move: a random sample of this size keeps the cost linear."""


class Moves:
    """Assign and withdraw images one by one; `room` is what each remaining annotator can still take."""

    def __init__(self, plan: Exchanges, room: list[int], stream: Stream) -> None:
        self.plan, self.room, self.stream = plan, room, stream
        self.added: dict[int, list[int]] = {}
        """annotator -> newly assigned images."""

    def cover(self, image: int) -> bool:
        """Assign an image to one more annotator, if necessary by a chain; return False if impossible."""
        stayers = range(len(self.room))
        able = [one for one in stayers if self.room[one] > 0 and self.plan.may_take(image, one)]
        if able:
            self._give(image, self._best(image, able))
            return True
        return self._pass_on(image)

    def _best(self, image: int, able: list[int]) -> int:
        """Return the annotator who suits an image best; ties go to the one with most room."""
        drawn = self.stream.shuffled(able)[:LOOKED_AT]
        return min(drawn, key=lambda one: (self._cost(image, one), -self.room[one]))

    def _cost(self, image: int, annotator: int) -> int:
        cost = self.plan.give(image, annotator)
        self.plan.take(image, annotator)
        return cost

    def _give(self, image: int, annotator: int) -> None:
        self.plan.give(image, annotator)
        self.room[annotator] -= 1
        self.added.setdefault(annotator, []).append(image)

    def _pass_on(self, image: int) -> bool:
        """Assign the image to an annotator without room, who passes a new one on until one has room."""
        came: dict[int, tuple[int, int]] = {}
        queue = [one for one in range(len(self.room)) if self.plan.may_take(image, one)]
        came.update(dict.fromkeys(queue, (-1, image)))
        for one in queue:
            if self.room[one] > 0:
                self._follow(one, came)
                return True
            for new in self.added.get(one, ()):
                for other in range(len(self.room)):
                    if other not in came and self.plan.may_take(new, other):
                        came[other] = (one, new)
                        queue.append(other)
        return False

    def _follow(self, last: int, came: dict[int, tuple[int, int]]) -> None:
        while last >= 0:
            giver, image = came[last]
            if giver >= 0:
                self.plan.take(image, giver)
                self.added[giver].remove(image)
                self.room[giver] += 1
            self._give(image, last)
            last = giver

    def level(self, movable: Sequence[list[int]], surplus: list[int]) -> None:
        """Move unstarted images, then drafts, from those above their total to those with room.

        `movable[annotator]` are images in the order in which they may move; `surplus` is how many must.
        """
        for giver in self.stream.shuffled([one for one in range(len(surplus)) if surplus[one] > 0]):
            for _ in range(surplus[giver]):
                if not self._move_one(giver, movable[giver]):
                    break
                surplus[giver] -= 1

    def _move_one(self, giver: int, images: list[int]) -> bool:
        stayers = range(len(self.room))
        takers = [one for one in stayers if self.room[one] > 0 and one != giver]
        if not takers:
            return False
        most = max(self.room[one] for one in takers)
        # Prefer the annotator with most room; if none of the images suits them, try the others.
        takers = sorted(self.stream.shuffled(takers), key=lambda one: self.room[one] != most)
        for taker in takers:
            annotators_of, never = self.plan.annotators_of, self.plan.barred.get(taker, ())
            fitting = [
                at
                for at, image in enumerate(images)
                if taker not in annotators_of[image] and image not in never
            ]
            if fitting:
                self._move(giver, taker, images, fitting)
                return True
        return False

    def _move(self, giver: int, taker: int, images: list[int], fitting: list[int]) -> None:
        at = min(self._drawn(fitting), key=lambda place: self._move_cost(images[place], giver, taker))
        image = images.pop(at)
        self.plan.take(image, giver)
        self._give(image, taker)

    def _drawn(self, places: list[int]) -> list[int]:
        if len(places) <= LOOKED_AT:
            return places
        return [places[self.stream.below(len(places))] for _ in range(LOOKED_AT)]

    def _move_cost(self, image: int, giver: int, taker: int) -> int:
        cost = self.plan.take(image, giver) + self.plan.give(image, taker)
        self.plan.take(image, taker)
        self.plan.give(image, giver)
        return cost

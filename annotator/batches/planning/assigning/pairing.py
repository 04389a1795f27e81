"""Assign the overlap images of a cell to the sets of annotators that have met least, and restore totals."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction

from annotator.batches.planning.assigning.bounds import integers_around
from annotator.batches.planning.counts import Counts
from annotator.batches.planning.randomness import Stream

Items = list[list[int]]
"""Annotators of each image of a cell; the overlap images come first."""


class Table(dict[int, list[int]]):
    """How often two annotators have met. Only those who have met anybody have a row of their own."""

    def __init__(self, annotators: int) -> None:
        self._none = [0] * annotators

    def __missing__(self, one: int) -> list[int]:
        return self._none

    def add(self, one: int, other: int, times: int = 1) -> None:
        """Count meetings of two annotators."""
        for first, second in ((one, other), (other, one)):
            self.setdefault(first, list(self._none))[second] += times


class Meetings:
    """How often two annotators have met, in total and per generator, including earlier batches."""

    def __init__(self, annotators: int, before: Counts) -> None:
        self.annotators = annotators
        self.all = Table(annotators)
        self.by_generator: defaultdict[int, Table] = defaultdict(lambda: Table(annotators))
        for (one, other), count in before.pairs.items():
            self.all.add(one, other, count)
        for (one, other, generator), count in before.pair_generator.items():
            self.by_generator[generator].add(one, other, count)


def pair_cell(
    held: dict[int, int],
    images: int,
    shared: int,
    per_image: int,
    generator: int,
    meetings: Meetings,
    stream: Stream,
) -> Items:
    """Turn annotators' holdings of a cell into `images` sets: `shared` of `per_image`, the others of one.

    `held` must allow it (see `feasible`), and is used up.
    """
    left = dict(held)
    items: Items = []
    for done in range(shared):
        rest, singles = shared - done - 1, images - shared
        chosen = _least_met(stream.shuffled(sorted(left)), per_image, generator, meetings)
        if len(chosen) < per_image or not _still(left, chosen, rest, singles, per_image):
            # The largest holdings: always possible if any choice is.
            order = stream.shuffled(sorted(left))
            order.sort(key=lambda annotator: -left[annotator])
            chosen = order[:per_image]
        for place, annotator in enumerate(chosen):
            for other in chosen[:place]:
                meetings.all.add(annotator, other)
                meetings.by_generator[generator].add(annotator, other)
            left[annotator] -= 1
            if not left[annotator]:
                del left[annotator]
        items.append(sorted(chosen))
    singles_left = [[annotator] for annotator in sorted(left) for _ in range(left[annotator])]
    return items + stream.shuffled(singles_left)


def _least_met(candidates: list[int], per_image: int, generator: int, meetings: Meetings) -> list[int]:
    here, everywhere = meetings.by_generator[generator], meetings.all
    chosen: list[int] = []
    if len(candidates) == meetings.annotators:
        first = min(candidates, key=lambda one: (sum(here[one]) << 40) + sum(everywhere[one]))
    else:
        first = min(
            candidates[: 4 * per_image],
            key=lambda one: (
                (sum([here[one][other] for other in candidates]) << 40)
                + sum([everywhere[one][other] for other in candidates])
            ),
        )
    totals = dict.fromkeys(candidates, 0)
    while True:
        chosen.append(first)
        del totals[first]
        if len(chosen) == per_image or not totals:
            return chosen
        row, row_all = here[first], everywhere[first]
        for one in totals:
            totals[one] += (row[one] << 40) + row_all[one]
        first = min(totals, key=totals.__getitem__)


def _still(left: dict[int, int], chosen: list[int], shared: int, singles: int, per_image: int) -> bool:
    """Return whether the rest is feasible after these are chosen."""
    if max(left.values()) <= shared:
        return True
    after = dict(left)
    for annotator in chosen:
        after[annotator] -= 1
    return feasible(after, shared, singles, per_image)


def feasible(held: dict[int, int], shared: int, singles: int, per_image: int) -> bool:
    """Return whether, by Gale and Ryser, holdings fill `shared` sets of `per_image` and `singles` of one."""
    total = 0
    for place, count in enumerate(sorted(held.values(), reverse=True)[:per_image], start=1):
        total += count
        if total > place * shared + singles:
            return False
    return True


def fit(held: dict[int, int], images: int, shared: int, per_image: int, people: int, stream: Stream) -> bool:
    """Change the holdings of a cell until no annotator needs an image twice.

    Necessary only for very unequal shares; return whether it was.
    """
    if feasible(held, shared, images - shared, per_image):
        return False
    order = stream.shuffled(list(range(people)))
    while not feasible(held, shared, images - shared, per_image):
        most = max(order, key=lambda one: held.get(one, 0))
        least = min(order, key=lambda one: held.get(one, 0))
        held[most] -= 1
        held[least] = held.get(least, 0) + 1
    return True


class Totals:
    """Move assignments between annotators until each total is next to its share."""

    def __init__(self, annotators_of: list[list[int]], shares: Sequence[Fraction]) -> None:
        self.annotators_of = annotators_of
        self.bounds = [integers_around(share) for share in shares]
        self.images: list[list[int]] = [[] for _ in shares]
        for image, people in enumerate(annotators_of):
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
        return next((image for image in self.images[giver] if taker not in self.annotators_of[image]), -1)

    def _move(self, giver: int, taker: int) -> None:
        image = self._passable(giver, taker)
        self.annotators_of[image].remove(giver)
        self.annotators_of[image].append(taker)
        self.images[giver].remove(image)
        self.images[taker].append(image)

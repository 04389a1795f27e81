"""A plan during the search: two images exchange one annotator each, and the counts follow."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from annotator.batches.planning.assigning.frame import BoundedCounts

Stratum = tuple[int, int]
"""(generator, prompt)."""


@dataclass
class Margins:
    """The four margins an exchange can change; for the integer keys see `Exchanges`."""

    generator: BoundedCounts
    prompt: BoundedCounts
    pair: BoundedCounts
    pair_generator: BoundedCounts

    def wrong(self) -> list[tuple[BoundedCounts, int]]:
        """Return all counts outside their bounds."""
        tables = (self.generator, self.prompt, self.pair, self.pair_generator)
        return [(table, key) for table in tables for key in table.wrong()]


class Exchanges:
    """The annotators of each image, changed in place, with their counts.

    Keys: annotator × generator, annotator × prompt, first × annotators + second of a pair, pair × generator.
    """

    def __init__(
        self, strata: Sequence[Stratum], annotators_of: list[list[int]], annotators: int, margins: Margins
    ) -> None:
        self.strata, self.annotators_of, self.annotators, self.margins = (
            strata,
            annotators_of,
            annotators,
            margins,
        )
        self.generators = 1 + max(generator for generator, _ in strata)
        self.prompts = 1 + max(prompt for _, prompt in strata)
        self.penalty = 0
        self.least = 0
        self._since_best: list[tuple[int, int, int, int]] = []
        self.fixed: set[tuple[int, int]] = set()
        """(image, annotator) excluded from exchanges."""
        self.barred: Mapping[int, Collection[int]] = {}
        """annotator -> images that they must not be assigned."""
        # Images per annotator, or pair, and generator; stale entries are dropped when met.
        self.having: dict[int, list[int]] = {}
        self.sharing: dict[int, list[int]] = {}
        for image, people in enumerate(annotators_of):
            for one in people:
                self._hold(image, one, 1)
            for one, other in combinations(people, 2):
                self._meet(image, one, other, 1)

    def may_take(self, image: int, annotator: int) -> bool:
        """Return whether an annotator does not have an image and may be assigned it."""
        return annotator not in self.annotators_of[image] and image not in self.barred.get(annotator, ())

    def pair(self, one: int, other: int) -> int:
        """Return the key of an unordered pair."""
        return one * self.annotators + other if one < other else other * self.annotators + one

    def _hold(self, image: int, annotator: int, change: int) -> int:
        generator, prompt = self.strata[image]
        key = annotator * self.generators + generator
        if change > 0:
            self.having.setdefault(key, []).append(image)
        return self.margins.generator.step(key, change) + self.margins.prompt.step(
            annotator * self.prompts + prompt, change
        )

    def _meet(self, image: int, one: int, other: int, change: int) -> int:
        pair = self.pair(one, other)
        key = pair * self.generators + self.strata[image][0]
        if change > 0:
            self.sharing.setdefault(key, []).append(image)
        return self.margins.pair.step(pair, change) + self.margins.pair_generator.step(key, change)

    def attempt(self, image: int, one: int, partner: int, other: int, worse: int = 0) -> bool:
        """Replace `one` by `other` on `image` and the reverse on `partner`, if it costs at most `worse`."""
        if image == partner or other in self.annotators_of[image] or one in self.annotators_of[partner]:
            return False
        if self.fixed and ((image, one) in self.fixed or (partner, other) in self.fixed):
            return False
        if self.barred and (image in self.barred.get(other, ()) or partner in self.barred.get(one, ())):
            return False
        change = self._swap(image, one, partner, other)
        if change > worse:
            self._swap(image, other, partner, one)
            return False
        self.penalty += change
        self._since_best.append((image, one, partner, other))
        if self.penalty < self.least:
            self.least = self.penalty
            self._since_best.clear()
        return True

    def best_is_here(self) -> None:
        """Record the current state as the best."""
        self.least = self.penalty
        self._since_best.clear()

    def back_to_best(self) -> None:
        """Undo the exchanges since the best state."""
        while self._since_best:
            image, one, partner, other = self._since_best.pop()
            self.penalty += self._swap(image, other, partner, one)

    def give(self, image: int, annotator: int) -> int:
        """Add an annotator to an image; return the penalty's change."""
        change = self._hold(image, annotator, 1)
        for other in self.annotators_of[image]:
            change += self._meet(image, annotator, other, 1)
        self.annotators_of[image].append(annotator)
        self.penalty += change
        return change

    def take(self, image: int, annotator: int) -> int:
        """Take an annotator from an image; return the penalty's change."""
        self.annotators_of[image].remove(annotator)
        change = self._hold(image, annotator, -1)
        for other in self.annotators_of[image]:
            change += self._meet(image, annotator, other, -1)
        self.penalty += change
        return change

    def _swap(self, image: int, one: int, partner: int, other: int) -> int:
        change = 0
        for here, leaves, comes in ((image, one, other), (partner, other, one)):
            change += self._hold(here, leaves, -1) + self._hold(here, comes, 1)
            people = self.annotators_of[here]
            people.remove(leaves)
            for third in people:
                change += self._meet(here, leaves, third, -1) + self._meet(here, comes, third, 1)
            people.append(comes)
        return change

"""A plan during the search: two images exchange one annotator each, and the counts follow."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations

from annotator.batches.planning.assigning.bounds import Margins

Stratum = tuple[int, int]
"""(generator, prompt)."""


class Exchanges:
    """The annotators of each image, changed in place, with their counts.

    `barred` are the images by annotator that they must not be assigned, `fixed` the (image, annotator)
    excluded from exchanges.
    """

    def __init__(
        self,
        strata: Sequence[Stratum],
        annotators_of: list[list[int]],
        margins: Margins,
        barred: Mapping[int, Collection[int]],
        fixed: Collection[tuple[int, int]] = (),
    ) -> None:
        self.strata, self.annotators_of, self.margins = strata, annotators_of, margins
        self.barred, self.fixed = barred, fixed
        self.penalty = self.least = 0
        self._since_best: list[tuple[int, int, int, int]] = []
        # Images per annotator, or pair, and generator, by the key of the margin; stale entries are dropped
        # when met.
        self.images_at: dict[int, list[int]] = {}
        for image, people in enumerate(annotators_of):
            for one in people:
                self._hold(image, one, 1)
            for one, other in combinations(people, 2):
                self._meet(image, one, other, 1)

    def may_take(self, image: int, annotator: int) -> bool:
        """Return whether an annotator does not have an image and may be assigned it."""
        return annotator not in self.annotators_of[image] and image not in self.barred.get(annotator, ())

    def _hold(self, image: int, annotator: int, change: int) -> int:
        generator, prompt = self.strata[image]
        margins = self.margins
        key = annotator * margins.generators + generator
        if change > 0:
            self.images_at.setdefault(key, []).append(image)
        of_prompt = margins.prompt_from + annotator * margins.prompts + prompt
        return margins.step(key, change) + margins.step(of_prompt, change)

    def _meet(self, image: int, one: int, other: int, change: int) -> int:
        margins = self.margins
        pair = margins.of_pair(one, other)
        key = margins.joint_from + (pair - margins.pair_from) * margins.generators + self.strata[image][0]
        if change > 0:
            self.images_at.setdefault(key, []).append(image)
        return margins.step(pair, change) + margins.step(key, change)

    def attempt(self, image: int, one: int, partner: int, other: int, worse: int) -> None:
        """Replace `one` by `other` on `image` and the reverse on `partner`, if it costs at most `worse`."""
        if image == partner or not (self.may_take(image, other) and self.may_take(partner, one)):
            return
        if (image, one) in self.fixed or (partner, other) in self.fixed:
            return
        change = self._swap(image, one, partner, other)
        if change > worse:
            self._swap(image, other, partner, one)
            return
        self.penalty += change
        self._since_best.append((image, one, partner, other))
        if self.penalty < self.least:
            self.best_is_here()

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

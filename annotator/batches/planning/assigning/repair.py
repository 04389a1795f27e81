"""Local search: try exchanges for each count that is outside its bounds.

The search accepts exchanges that are better or equal, and sometimes slightly worse ones to leave local
minima; it ends at the best state seen. The number of attempts is bounded and all choices come from the seed,
so the result is reproducible.
"""

from __future__ import annotations

from collections.abc import Sequence

from annotator.batches.planning.assigning.exchanges import Exchanges, Stratum
from annotator.batches.planning.randomness import Stream

ATTEMPTS = 12
"""Exchanges tried for one count before the next one."""
ROAMING = ((8, 1), (32, 1), (16, 2), (128, 1), (32, 2), (32, 1))
"""(n, penalty) per phase: one in n exchanges may be worse by the penalty."""
TURN = 1000
"""Exchanges per phase."""
IDLE = 20_000
"""Exchanges without a gain after which the search gives up."""


class Repair:
    """Exchanges between movable images; if strict, only improvements are accepted."""

    def __init__(self, plan: Exchanges, movable: Sequence[int], stream: Stream, strict: bool = False) -> None:
        self.plan, self.stream, self.movable, self.strict = plan, stream, movable, strict
        self.margins, self.tried = plan.margins, 0
        self._cells: dict[Stratum, list[int]] = {}
        self._of_generator: dict[int, list[int]] = {}
        self._of_prompt: dict[int, list[int]] = {}
        for image in movable:
            generator, prompt = plan.strata[image]
            self._cells.setdefault((generator, prompt), []).append(image)
            self._of_generator.setdefault(generator, []).append(image)
            self._of_prompt.setdefault(prompt, []).append(image)

    def run(self, most: int) -> None:
        """Exchange until all counts are within bounds, nothing has improved for long, or `most` exchanges
        were tried."""
        self.plan.best_is_here()
        last_gain, least = 0, self.plan.least
        while self.tried < most and self.tried - last_gain < IDLE:
            wrong = self.margins.wrong()
            if not wrong:
                break
            for key in self.stream.shuffled(wrong):
                self._mend(key)
            if self.plan.least < least:
                last_gain, least = self.tried, self.plan.least
        self.plan.back_to_best()

    def _attempt(self, image: int, one: int, partner: int, other: int) -> None:
        one_in, worse = ROAMING[self.tried // TURN % len(ROAMING)]
        if self.strict:
            worse = -1
        elif self.stream.below(one_in):
            worse = 0
        self.plan.attempt(image, one, partner, other, worse)

    def _mend(self, key: int) -> None:
        margins = self.margins
        for _ in range(ATTEMPTS):
            excess = margins.excess(key)
            if not excess:
                return
            self.tried += 1
            if key < margins.prompt_from:
                self._mend_generator(*divmod(key, margins.generators), excess)
            elif key < margins.pair_from:
                self._mend_prompt(*divmod(key - margins.prompt_from, margins.prompts), excess)
            elif key < margins.joint_from:
                generator = self.stream.below(margins.generators)
                self._mend_pair(key - margins.pair_from, generator, excess)
            else:
                self._mend_pair(*divmod(key - margins.joint_from, margins.generators), excess)

    def _mend_pair(self, pair: int, generator: int, excess: int) -> None:
        one, other = divmod(pair, self.margins.annotators)
        if self.stream.below(2):
            one, other = other, one
        if excess < 0:
            self._join(one, other, generator)
            return
        # Remove one of them from an image of both.
        image = self._held(self.margins.of_pair(one, other, generator), one, other)
        if image >= 0:
            self._any_exchange(image, one, self._neighbour(image))

    def _join(self, one: int, other: int, generator: int) -> None:
        """Add `other` to an image of `one`."""
        image = self._of_annotator(one, generator)
        if image < 0:
            return
        partner = self._with(other, image)
        if partner < 0:
            partner = self._of_annotator(other, generator)
        if partner < 0:
            return
        if len(self.plan.annotators_of[image]) == 1 or (
            len(self.plan.annotators_of[partner]) > 1 and self.stream.below(2)
        ):
            image, partner, one, other = partner, image, other, one
        rest = [third for third in self.plan.annotators_of[image] if third != one]
        if rest:
            self._attempt(image, self._pick(rest), partner, other)

    def _mend_generator(self, annotator: int, generator: int, excess: int) -> None:
        """Exchange with an image of the same prompt, so that only generators change."""
        if excess > 0:
            image = self._of_annotator(annotator, generator)
            if image >= 0:
                self._any_exchange(image, annotator, self._pick(self._alike_prompt(image)))
            return
        image = self._pick(self._of_generator.get(generator, []) or self.movable)
        partner = self._with(annotator, image, self._of_prompt[self.plan.strata[image][1]])
        if partner < 0:
            partner = self._of_annotator(annotator, self.stream.below(self.margins.generators))
        if partner >= 0:
            self._any_exchange(partner, annotator, image)

    def _mend_prompt(self, annotator: int, prompt: int, excess: int) -> None:
        """Exchange with an image of the same generator, so that only prompts change."""
        images = self._of_prompt.get(prompt)
        if not images:
            return
        if excess > 0:
            image = self._with(annotator, -1, images)
            if image >= 0:
                partner = self._pick(self._of_generator[self.plan.strata[image][0]])
                self._any_exchange(image, annotator, partner)
            return
        image = self._pick(images)
        partner = self._of_annotator(annotator, self.plan.strata[image][0])
        if partner >= 0:
            self._any_exchange(partner, annotator, image)

    def _any_exchange(self, image: int, one: int, partner: int) -> None:
        people = [
            third for third in self.plan.annotators_of[partner] if third not in self.plan.annotators_of[image]
        ]
        if people:
            self._attempt(image, one, partner, self._pick(people))

    def _neighbour(self, image: int) -> int:
        """Return an image to exchange with, mostly of the same cell, which changes only pairs."""
        stratum = self.plan.strata[image]
        draw = self.stream.below(8)
        if draw < 5 and len(self._cells.get(stratum, [])) > 1:
            return self._pick(self._cells[stratum])
        alike = self._of_generator.get(stratum[0], []) or self.movable
        return self._pick(alike if draw < 7 else self._alike_prompt(image))

    def _alike_prompt(self, image: int) -> Sequence[int]:
        return self._of_prompt.get(self.plan.strata[image][1], []) or self.movable

    def _with(self, annotator: int, image: int, images: Sequence[int] = ()) -> int:
        """Return another image of an annotator, of these or of the same cell; -1 if none is found soon."""
        images = images or self._cells.get(self.plan.strata[image], [])
        if not images:
            return -1
        start = self.stream.below(len(images))
        for step in range(min(len(images), 48)):
            found = images[(start + step) % len(images)]
            if found != image and annotator in self.plan.annotators_of[found]:
                return found
        return -1

    def _of_annotator(self, annotator: int, generator: int) -> int:
        return self._held(annotator * self.margins.generators + generator, annotator)

    def _held(self, key: int, *people: int) -> int:
        """Return a random image of a margin that these annotators still have, or -1."""
        images = self.plan.images_at.get(key, [])
        while images:
            at = self.stream.below(len(images))
            annotators_of = self.plan.annotators_of[images[at]]
            if all(one in annotators_of for one in people):
                return images[at]
            images[at] = images[-1]
            images.pop()
        return -1

    def _pick(self, items: Sequence[int]) -> int:
        return items[self.stream.below(len(items))]

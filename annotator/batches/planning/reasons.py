"""Reasons for a missed guarantee: a proof if a cheap one exists, else that the search did not reach it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

from annotator.batches.planning.balance import Tally
from annotator.batches.planning.design import Design
from annotator.batches.planning.search.bounds import integers_around
from annotator.batches.planning.search.frame import Frame
from annotator.batches.planning.search.targets import Targets

NOT_REACHED = "not reached by the search; it may be possible"


@dataclass(frozen=True)
class PlanReasons:
    """The reasons of one plan; `overlaps` is the number of overlap images of each cell."""

    design: Design
    frame: Frame
    targets: Targets
    overlaps: Sequence[int]

    def why(self, margin: str, found: Tally) -> str:
        """Return why a margin misses its guarantee."""
        if margin == "pair":
            return self._pair()
        if margin == "pair × generator":
            return self._pair_generator(found)
        if self.design.earlier is not None:
            return f"annotators hold uneven numbers from earlier batches; {NOT_REACHED}"
        if all(person.capacity is None for person in self.design.annotators):
            return NOT_REACHED
        return f"image limits give annotators unequal shares; {NOT_REACHED}"

    def _pair(self) -> str:
        shared = sum(self.overlaps)
        reason = self._too_small()
        if not reason and not self.targets.held_pair:
            reason = impossible(len(self.targets.held), self.design.coders, shared)
        return f"impossible: {reason}" if reason else self._or_earlier()

    def _pair_generator(self, found: Tally) -> str:
        reason = self._too_small()
        if reason:
            return f"impossible: {reason}"
        if self.targets.held_pair_generator:
            return self._or_earlier()
        shared: Counter[int] = Counter()
        for (generator, _), count in zip(self.frame.cells, self.overlaps, strict=True):
            shared[generator] += count
        proofs = {
            generator: impossible(len(self.targets.held), self.design.coders, shared[generator])
            for generator in self._failing(found)
        }
        proven = [generator for generator, proof in proofs.items() if proof]
        if not proven:
            return NOT_REACHED
        first = f"{self.frame.generators[proven[0]]}: {proofs[proven[0]]}"
        rest = len(proofs) - len(proven)
        more = f"; {len(proven)} generators in all" if len(proven) > 1 else ""
        return f"impossible for {first}{more}" + (f"; for {rest} others {NOT_REACHED}" if rest else "")

    def _or_earlier(self) -> str:
        if self.targets.held_pair:
            return f"some pairs met more often than others in earlier batches; {NOT_REACHED}"
        return NOT_REACHED

    def _failing(self, found: Tally) -> list[int]:
        people = range(len(self.targets.held))
        failing = []
        for generator, level in enumerate(self.targets.pair_generator_level):
            low, high = integers_around(level)
            met = (found.pair_generator[one, other, generator] for other in people for one in range(other))
            if any(not low <= count <= high for count in met):
                failing.append(generator)
        return failing

    def _too_small(self) -> str:
        """Return a proof that an annotator's limit is below the overlap images that even pairs need."""
        low = integers_around(self.targets.pair_level)[0]
        people = len(self.targets.held)
        needed = -(-low * (people - 1) // (self.design.coders - 1))
        for person in self.design.annotators:
            if self.design.earlier is None and person.capacity is not None and person.capacity < needed:
                return (
                    f"even pairs need {needed} overlap images per annotator, "
                    f"but the limit of annotator {person.code} is {person.capacity}"
                )
        return ""


def impossible(people: int, coders: int, shared: int) -> str:
    """Return a proof that `shared` sets of `coders` out of `people` cannot meet evenly, or an empty text.

    Evenly: all pairs meet equally often, ±1. The absence of a proof does not mean that it is possible.
    """
    pairs, meetings = comb(people, 2), shared * comb(coders, 2)
    if not pairs or coders >= people:
        return ""
    low, extra = divmod(meetings, pairs)
    if shared > 1 and meetings <= pairs and 2 * coders - people > 1:
        return (
            f"two sets of {coders} among {people} annotators have {2 * coders - people} in common, "
            f"so some pair meets twice while others never meet"
        )
    # Each annotator's meetings are a multiple of coders - 1; this many must be above the lower count.
    above = -low * (people - 1) % (coders - 1)
    if 2 * extra < people * above:
        return (
            f"annotators meet others in multiples of {coders - 1}, so each has at least {above} pairs "
            f"above {low}; {meetings} meetings in {pairs} pairs allow only {extra} such pairs in total"
        )
    if not extra and low and shared < people:
        return f"equal pairs need at least as many overlap images as annotators (Fisher), {shared} < {people}"
    return ""

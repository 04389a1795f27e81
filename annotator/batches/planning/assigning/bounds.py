"""The counts that the search keeps near their even shares, with bounds and the penalty of missing them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import combinations

from annotator.batches.planning.assigning.frame import Frame
from annotator.batches.planning.assigning.targets import Targets

HEAVY = 1000
"""Weight of generators and prompts, which are never traded for better pairs."""

Bounds = tuple[int, int]
FREE: Bounds = (0, 1 << 62)
MOST_WATCHED = 1_000_000
"""Pairs × generators beyond which the search does not watch each of them."""


def integers_around(share: Fraction) -> Bounds:
    """Return the integers next to a share."""
    return share.numerator // share.denominator, -(-share.numerator // share.denominator)


def at_most_one_from(share: Fraction) -> Bounds:
    """Return the integers at most one from a share."""
    low, high = integers_around(share)
    return max(0, high - 1), low + 1


class Margins:
    """Counts by an integer key, starting from earlier batches; weight × squared distance is the penalty.

    Four tables follow each other: annotator × generator, annotator × prompt, first × annotators + second of a
    pair, pair × generator; each but the first begins at `prompt_from`, `pair_from`, `joint_from`.
    """

    def __init__(
        self,
        frame: Frame,
        targets: Targets,
        annotators: int,
        around: Callable[[Fraction], Bounds] = integers_around,
    ) -> None:
        """Count for `annotators`; those beyond the targets have left and have no bounds."""
        self.annotators, self.generators, self.prompts = annotators, len(frame.generators), len(frame.prompts)
        self.prompt_from = annotators * self.generators
        self.pair_from = self.prompt_from + annotators * self.prompts
        self.joint_from = self.pair_from + annotators * annotators
        self._targets, self._around, self._staying = targets, around, len(targets.held)
        self._known: dict[int, Bounds] = {}
        self._outside: dict[int, None] = {}
        before = targets.before
        self.values = {
            **{one * self.generators + at: count for (one, at), count in before.by_generator.items()},
            **{
                self.prompt_from + one * self.prompts + at: count
                for (one, at), count in before.by_prompt.items()
            },
            **{self.of_pair(*pair): count for pair, count in before.pairs.items()},
            **{self.of_pair(*key): count for key, count in before.pair_generator.items()},
        }
        self._watched = self._below_at_first()

    def of_pair(self, one: int, other: int, generator: int = -1) -> int:
        """Return the key of an unordered pair, of one generator or of all."""
        pair = one * self.annotators + other if one < other else other * self.annotators + one
        return (
            self.pair_from + pair if generator < 0 else self.joint_from + pair * self.generators + generator
        )

    def _below_at_first(self) -> Iterable[int]:
        """Return keys without a count that may be below their bounds from the start."""
        staying, levels = range(self._staying), self._targets.pair_generator_level
        pairs = list(combinations(staying, 2))
        lacking = [at for at, level in enumerate(levels) if self._around(level)[0]]
        joint = len(pairs) * len(lacking) <= MOST_WATCHED
        return [
            *range(self._staying * self.generators),
            *range(self.prompt_from, self.prompt_from + self._staying * self.prompts),
            *(self.of_pair(*pair) for pair in pairs),
            *(self.of_pair(*pair, at) for pair in (pairs if joint else ()) for at in lacking),
        ]

    def bounds(self, key: int) -> Bounds:
        """Return the smallest and largest count without penalty."""
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._bounds(key)
        return found

    def _bounds(self, key: int) -> Bounds:
        targets = self._targets
        if key < self.prompt_from:
            one, generator = divmod(key, self.generators)
            return self._around(targets.generator(one, generator)) if one < self._staying else FREE
        if key < self.pair_from:
            one, prompt = divmod(key - self.prompt_from, self.prompts)
            return self._around(targets.prompt(one, prompt)) if one < self._staying else FREE
        pair, level = key - self.pair_from, targets.pair_level
        if key >= self.joint_from:
            pair, generator = divmod(key - self.joint_from, self.generators)
            level = targets.pair_generator_level[generator]
        return self._around(level) if max(divmod(pair, self.annotators)) < self._staying else FREE

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
        weight = HEAVY if key < self.pair_from else 1
        return weight * (_distance(after, low, high) ** 2 - _distance(before, low, high) ** 2)

    def excess(self, key: int) -> int:
        """Return how far a count is above (positive) or below (negative) its bounds."""
        return _distance(self.values.get(key, 0), *self.bounds(key))

    def wrong(self) -> list[int]:
        """Return the keys of counts outside their bounds, in order."""
        for key in self._watched:
            if self.excess(key):
                self._outside[key] = None
        self._watched = ()
        return sorted(self._outside)


def _distance(value: int, low: int, high: int) -> int:
    return value - high if value > high else min(0, value - low)

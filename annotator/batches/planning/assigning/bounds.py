"""The bounds of the search: the integers next to each even share."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations

from annotator.batches.planning.assigning.exchanges import Margins
from annotator.batches.planning.assigning.frame import BoundedCounts, Bounds, Frame
from annotator.batches.planning.assigning.targets import Targets

HEAVY = 1000
"""Weight of generators and prompts, which are never traded for better pairs."""


FREE: Bounds = (0, 1 << 62)
MOST_WATCHED = 1_000_000
"""Pairs × generators beyond which the search does not watch each of them."""


def margins_of(
    frame: Frame, targets: Targets, people: int, next_to: Callable[[Fraction], Bounds] | None = None
) -> Margins:
    """Return counts with their bounds, starting from earlier batches.

    `people` beyond the targets have left and have no bounds. `next_to` computes the bounds of a share, by
    default `around`.
    """
    around = next_to or integers_around
    staying, generators, prompts = len(targets.held), len(frame.generators), len(frame.prompts)
    levels = [around(level) for level in targets.pair_generator_level]
    everywhere = around(targets.pair_level)
    pairs = [one * people + other for one, other in combinations(range(staying), 2)]
    pair_generators = [
        pair * generators + one for pair in pairs for one in range(generators) if levels[one][0]
    ]

    def generator(key: int) -> Bounds:
        one, stratum = divmod(key, generators)
        return around(targets.generator(one, stratum)) if one < staying else FREE

    def prompt(key: int) -> Bounds:
        one, stratum = divmod(key, prompts)
        return around(targets.prompt(one, stratum)) if one < staying else FREE

    def pair(key: int) -> Bounds:
        return everywhere if max(divmod(key, people)) < staying else FREE

    def pair_generator(key: int) -> Bounds:
        one, stratum = divmod(key, generators)
        return levels[stratum] if max(divmod(one, people)) < staying else FREE

    found = Margins(
        BoundedCounts(generator, range(staying * generators), HEAVY),
        BoundedCounts(prompt, range(staying * prompts), HEAVY),
        BoundedCounts(pair, pairs),
        BoundedCounts(pair_generator, pair_generators if len(pair_generators) <= MOST_WATCHED else ()),
    )
    _count_held(found, targets, people, generators, prompts)
    return found


def _count_held(found: Margins, targets: Targets, people: int, generators: int, prompts: int) -> None:
    for (one, generator), count in targets.held_generator.items():
        found.generator.values[one * generators + generator] = count
    for (one, prompt), count in targets.held_prompt.items():
        found.prompt.values[one * prompts + prompt] = count
    for (one, other), count in targets.held_pair.items():
        found.pair.values[one * people + other] = count
    for (one, other, generator), count in targets.held_pair_generator.items():
        found.pair_generator.values[(one * people + other) * generators + generator] = count


def at_most_one_from(share: Fraction) -> Bounds:
    """Return the integers at most one from a share."""
    low, high = integers_around(share)
    return max(0, high - 1), low + 1


def integers_around(share: Fraction) -> Bounds:
    """Return the integers next to a share."""
    return share.numerator // share.denominator, -(-share.numerator // share.denominator)

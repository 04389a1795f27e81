"""The bounds a search keeps to: the integers next to each even share."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations

from annotator.batches.planning.search.counts import Bounds, Counts
from annotator.batches.planning.search.exchanges import Margins
from annotator.batches.planning.search.frame import Frame
from annotator.batches.planning.search.targets import Targets

HEAVY = 1000
"""What an annotator has of generators and prompts is never given away for better pairs."""


FREE: Bounds = (0, 1 << 62)
MOST_WATCHED = 1_000_000
"""Pairs × generators beyond which the search does not look at each."""


def margins_of(
    frame: Frame, targets: Targets, people: int, next_to: Callable[[Fraction], Bounds] | None = None
) -> Margins:
    """Return empty counts with their bounds, and what is held from earlier batches already counted.

    Of `people`, those beyond the targets have left: nothing they have is out of bounds. `next_to` makes the
    bounds of a share, `around` if it is not given.
    """
    around = next_to or integers_around
    staying, generators, prompts = len(targets.held), len(frame.generators), len(frame.prompts)
    levels = [around(level) for level in targets.pair_generator_level]
    everywhere = around(targets.pair_level)
    pairs = [one * people + other for one, other in combinations(range(staying), 2)]
    pair_generators = [
        pair * generators + one for pair in pairs for one in range(generators) if levels[one][0]
    ]
    # Equal shares are dealt exactly; only where they differ can a generator or a prompt be off.
    unequal = len(set(targets.shares)) > 1 or any(targets.held) or people > staying

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
        Counts(generator, range(staying * generators) if unequal else (), HEAVY),
        Counts(prompt, range(staying * prompts) if unequal else (), HEAVY),
        Counts(pair, pairs),
        Counts(pair_generator, pair_generators if len(pair_generators) <= MOST_WATCHED else ()),
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
    """The integers that are one or less from a share."""
    low, high = integers_around(share)
    return max(0, high - 1), low + 1


def integers_around(share: Fraction) -> Bounds:
    """The integers next to a share."""
    return share.numerator // share.denominator, -(-share.numerator // share.denominator)

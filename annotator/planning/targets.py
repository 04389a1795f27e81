"""The even share of every margin, earlier batches included."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb

from annotator.planning.design import Design
from annotator.planning.frame import Frame
from annotator.planning.shares import level


@dataclass(frozen=True)
class Targets:
    """What is already held (by index), and what everybody should hold in the end."""

    held: tuple[int, ...]
    held_generator: dict[tuple[int, int], int]
    held_prompt: dict[tuple[int, int], int]
    held_pair: dict[tuple[int, int], int]
    held_pair_generator: dict[tuple[int, int, int], int]
    shares: tuple[Fraction, ...]
    """New annotations of each annotator."""
    generator_shares: tuple[Fraction, ...]
    """Of each generator, the part of all annotations, earlier ones included."""
    prompt_shares: tuple[Fraction, ...]
    pair_level: Fraction
    pair_generator_level: tuple[Fraction, ...]

    def total(self, annotator: int) -> Fraction:
        """Annotations an annotator should hold in the end."""
        return self.held[annotator] + self.shares[annotator]

    def generator(self, annotator: int, generator: int) -> Fraction:
        """Annotations of a generator an annotator should hold in the end."""
        return self.total(annotator) * self.generator_shares[generator]

    def prompt(self, annotator: int, prompt: int) -> Fraction:
        """Annotations of a prompt an annotator should hold in the end."""
        return self.total(annotator) * self.prompt_shares[prompt]


def targets_of(design: Design, frame: Frame, overlaps: Sequence[int]) -> Targets:
    """Return the targets; `overlaps` is the number of overlap images of each cell."""
    held, by_generator, by_prompt, pairs, pair_generator = _held(design, frame)
    images = len(design.images)
    limits = [images if one.capacity is None else min(one.capacity, images) for one in design.annotators]
    shares = level(held, limits, design.annotations)
    owed_generator, owed_prompt, met = Counter[int](), Counter[int](), Counter[int]()
    for (generator, prompt), size, shared in zip(frame.cells, frame.sizes, overlaps, strict=True):
        owed = size + (design.coders - 1) * shared
        owed_generator[generator] += owed
        owed_prompt[prompt] += owed
        met[generator] += shared * comb(design.coders, 2)
    for (_, generator), count in by_generator.items():
        owed_generator[generator] += count
    for (_, prompt), count in by_prompt.items():
        owed_prompt[prompt] += count
    everything = sum(held) + design.annotations
    return Targets(
        tuple(held),
        by_generator,
        by_prompt,
        pairs,
        pair_generator,
        tuple(shares),
        tuple(Fraction(owed_generator[one], everything) for one in range(len(frame.generators))),
        tuple(Fraction(owed_prompt[one], everything) for one in range(len(frame.prompts))),
        _pair_level(list(pairs.values()), len(held), met.total()),
        tuple(
            _pair_level([n for key, n in pair_generator.items() if key[2] == one], len(held), met[one])
            for one in range(len(frame.generators))
        ),
    )


def _pair_level(held: list[int], annotators: int, meetings: int) -> Fraction:
    """Where all pairs end when the new meetings go to those that have met least."""
    pairs = comb(annotators, 2)
    if not pairs:
        return Fraction(0)
    if not any(held):
        return Fraction(meetings, pairs)
    everyone = [*held, *[0] * (pairs - len(held))]
    room = max(everyone) + meetings
    given = level(everyone, [room] * pairs, meetings)
    return max(
        (low + more for low, more in zip(everyone, given, strict=True) if more),
        default=Fraction(min(everyone)),
    )


_Held = tuple[
    list[int],
    dict[tuple[int, int], int],
    dict[tuple[int, int], int],
    dict[tuple[int, int], int],
    dict[tuple[int, int, int], int],
]


def _held(design: Design, frame: Frame) -> _Held:
    """Counts of earlier batches by index; people and strata that are not in this design do not matter."""
    totals = [0] * len(design.annotators)
    if design.earlier is None:
        return totals, {}, {}, {}, {}
    people = {one.code: index for index, one in enumerate(design.annotators)}
    generators = {name: index for index, name in enumerate(frame.generators)}
    prompts = {name: index for index, name in enumerate(frame.prompts)}
    earlier = design.earlier
    for (code, _), count in earlier.by_generator.items():
        if code in people:
            totals[people[code]] += count
    by_generator = {
        (people[code], generators[name]): count
        for (code, name), count in sorted(earlier.by_generator.items())
        if code in people and name in generators
    }
    by_prompt = {
        (people[code], prompts[name]): count
        for (code, name), count in sorted(earlier.by_prompt.items())
        if code in people and name in prompts
    }
    pairs: Counter[tuple[int, int]] = Counter()
    for (one, other), count in sorted(earlier.pairs.items()):
        if one in people and other in people:
            first, second = sorted((people[one], people[other]))
            pairs[first, second] += count
    pair_generator: Counter[tuple[int, int, int]] = Counter()
    for (one, other, name), count in sorted(earlier.pair_generator.items()):
        if one in people and other in people and name in generators:
            first, second = sorted((people[one], people[other]))
            pair_generator[first, second, generators[name]] += count
    return totals, by_generator, by_prompt, dict(pairs), dict(pair_generator)

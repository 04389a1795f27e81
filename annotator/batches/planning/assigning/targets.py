"""The even share of every margin, including earlier batches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import comb

from annotator.batches.planning.assigning.frame import Frame
from annotator.batches.planning.design import Design, Earlier, PlanAnnotator


def level(held: Sequence[int], limits: Sequence[int], amount: int) -> list[Fraction]:
    """Share `amount` so that held + share is as even as possible, 0 <= share <= limit (water filling).

    The limits must have room for the amount.
    """
    # The level rises from one corner (an annotator starts to take, or is full) to the next.
    corners = sorted({value for low, room in zip(held, limits, strict=True) for value in (low, low + room)})
    height = Fraction(corners[0])
    for below, above in pairwise(corners):
        taking = sum(
            1 for low, room in zip(held, limits, strict=True) if low <= below and above <= low + room
        )
        filled = sum(_taken(low, room, Fraction(below)) for low, room in zip(held, limits, strict=True))
        if filled + taking * (above - below) >= amount:
            height = below + (Fraction(amount) - filled) / taking if taking else Fraction(below)
            break
        height = Fraction(above)
    return [_taken(low, room, height) for low, room in zip(held, limits, strict=True)]


def _taken(low: int, room: int, height: Fraction) -> Fraction:
    return min(Fraction(room), max(Fraction(0), height - low))


@dataclass(frozen=True)
class Targets:
    """Counts from earlier batches by index, and the target counts."""

    held: tuple[int, ...]
    held_generator: dict[tuple[int, int], int]
    held_prompt: dict[tuple[int, int], int]
    held_pair: dict[tuple[int, int], int]
    held_pair_generator: dict[tuple[int, int, int], int]
    shares: tuple[Fraction, ...]
    """New annotations of each annotator."""
    generator_shares: tuple[Fraction, ...]
    """Each generator's share of all annotations, including earlier ones."""
    prompt_shares: tuple[Fraction, ...]
    pair_level: Fraction
    pair_generator_level: tuple[Fraction, ...]

    def total(self, annotator: int) -> Fraction:
        """Return the target number of annotations of an annotator."""
        return self.held[annotator] + self.shares[annotator]

    def generator(self, annotator: int, generator: int) -> Fraction:
        """Return the target number of annotations of an annotator for a generator."""
        return self.total(annotator) * self.generator_shares[generator]

    def prompt(self, annotator: int, prompt: int) -> Fraction:
        """Return the target number of annotations of an annotator for a prompt."""
        return self.total(annotator) * self.prompt_shares[prompt]


@dataclass(frozen=True)
class Owed:
    """Annotations per generator and prompt, and meetings of annotators per generator."""

    generator: Counter[int]
    prompt: Counter[int]
    meetings: Counter[int]


def owed_by(design: Design, frame: Frame, overlaps: Sequence[int]) -> Owed:
    """Return the counts of a design; `overlaps` is the number of overlap images per cell."""
    found = Owed(Counter(), Counter(), Counter())
    for (generator, prompt), size, shared in zip(frame.cells, frame.sizes, overlaps, strict=True):
        owed = size + (design.per_image - 1) * shared
        found.generator[generator] += owed
        found.prompt[prompt] += owed
        found.meetings[generator] += shared * comb(design.per_image, 2)
    return found


def plan_shares(design: Design) -> list[Fraction]:
    """Return the shares per annotator, with totals as even as the limits allow."""
    images = len(design.images)
    limits = [images if one.capacity is None else min(one.capacity, images) for one in design.annotators]
    held = held_before(design.annotators, design.earlier)
    return level(held, limits, design.annotations)


def targets_of(
    people: Sequence[PlanAnnotator],
    earlier: Earlier | None,
    frame: Frame,
    shares: Sequence[Fraction],
    owed: Owed,
) -> Targets:
    """Return the targets of annotators with these shares."""
    held = held_before(people, earlier)
    by_generator, by_prompt, pairs, pair_generator = _strata_held(people, earlier, frame)
    generators, prompts = Counter(owed.generator), Counter(owed.prompt)
    for (_, generator), count in by_generator.items():
        generators[generator] += count
    for (_, prompt), count in by_prompt.items():
        prompts[prompt] += count
    everything = max(1, sum(held) + owed.generator.total())
    pairs_held: dict[int, list[int]] = {}
    for key, count in pair_generator.items():
        pairs_held.setdefault(key[2], []).append(count)
    return Targets(
        tuple(held),
        by_generator,
        by_prompt,
        pairs,
        pair_generator,
        tuple(shares),
        tuple(Fraction(generators[one], everything) for one in range(len(frame.generators))),
        tuple(Fraction(prompts[one], everything) for one in range(len(frame.prompts))),
        _pair_level(list(pairs.values()), len(held), owed.meetings.total()),
        tuple(
            _pair_level(pairs_held.get(one, []), len(held), owed.meetings[one])
            for one in range(len(frame.generators))
        ),
    )


def _pair_level(held: list[int], annotators: int, meetings: int) -> Fraction:
    """Return the level of all pairs when new meetings go to those that have met least."""
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


def held_before(people: Sequence[PlanAnnotator], earlier: Earlier | None) -> list[int]:
    """Return the number of images of each annotator in earlier batches."""
    found = Counter[str]()
    for (code, _), count in earlier.by_generator.items() if earlier else ():
        found[code] += count
    return [found[one.code] for one in people]


_Held = tuple[
    dict[tuple[int, int], int],
    dict[tuple[int, int], int],
    dict[tuple[int, int], int],
    dict[tuple[int, int, int], int],
]


def _strata_held(people: Sequence[PlanAnnotator], earlier: Earlier | None, frame: Frame) -> _Held:
    """Return counts of earlier batches by index, without annotators and strata outside this design."""
    if earlier is None:
        return {}, {}, {}, {}
    person = {one.code: index for index, one in enumerate(people)}
    generators = {name: index for index, name in enumerate(frame.generators)}
    prompts = {name: index for index, name in enumerate(frame.prompts)}
    by_generator = {
        (person[code], generators[name]): count
        for (code, name), count in sorted(earlier.by_generator.items())
        if code in person and name in generators
    }
    by_prompt = {
        (person[code], prompts[name]): count
        for (code, name), count in sorted(earlier.by_prompt.items())
        if code in person and name in prompts
    }
    pairs: Counter[tuple[int, int]] = Counter()
    for (one, other), count in sorted(earlier.pairs.items()):
        if one in person and other in person:
            first, second = sorted((person[one], person[other]))
            pairs[first, second] += count
    pair_generator: Counter[tuple[int, int, int]] = Counter()
    for (one, other, name), count in sorted(earlier.pair_generator.items()):
        if one in person and other in person and name in generators:
            first, second = sorted((person[one], person[other]))
            pair_generator[first, second, generators[name]] += count
    return by_generator, by_prompt, dict(pairs), dict(pair_generator)

"""The even share of every margin, including earlier batches."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import Any

from annotator.batches.planning.assigning.frame import Frame
from annotator.batches.planning.counts import Counts, Table
from annotator.batches.planning.design import PlanAnnotator


def level(held: Sequence[int], limits: Sequence[int], amount: int) -> list[Fraction]:
    """Share `amount` so that held + share is as even as possible, 0 <= share <= limit (water filling).

    The limits must have room for the amount.
    """
    people = list(zip(held, limits, strict=True))

    def filled(height: Fraction | int) -> list[Fraction]:
        return [min(Fraction(room), max(Fraction(0), Fraction(height - low))) for low, room in people]

    # The level rises from one corner (an annotator starts to take, or is full) to the next.
    corners = sorted({value for low, room in people for value in (low, low + room)})
    corner = corners[
        bisect_right(corners, Fraction(amount), key=lambda height: sum(filled(height), Fraction(0))) - 1
    ]
    taking = sum(low <= corner < low + room for low, room in people)
    return filled(corner + (amount - sum(filled(corner), Fraction(0))) / max(1, taking))


@dataclass(frozen=True)
class Targets:
    """Counts from earlier batches by index, and the target counts."""

    before: Counts
    held: Sequence[int]
    """Images of each annotator in earlier batches, strata outside this design included."""
    shares: Sequence[Fraction]
    """New annotations of each annotator."""
    generator_shares: Sequence[Fraction]
    """Each generator's share of all annotations, including earlier ones."""
    prompt_shares: Sequence[Fraction]
    pair_level: Fraction
    pair_generator_level: Sequence[Fraction]

    def total(self, annotator: int) -> Fraction:
        """Return the target number of annotations of an annotator."""
        return self.held[annotator] + self.shares[annotator]

    def generator(self, annotator: int, generator: int) -> Fraction:
        """Return the target number of annotations of an annotator for a generator."""
        return self.total(annotator) * self.generator_shares[generator]

    def prompt(self, annotator: int, prompt: int) -> Fraction:
        """Return the target number of annotations of an annotator for a prompt."""
        return self.total(annotator) * self.prompt_shares[prompt]


def targets_of(
    people: Sequence[PlanAnnotator],
    earlier: Counts | None,
    frame: Frame,
    shares: Sequence[Fraction],
    owed: Iterable[tuple[tuple[int, int], int, int]],
) -> Targets:
    """Return the targets of annotators with these shares.

    `owed` are stratum (generator, prompt), annotators of each image, and images.
    """
    held = held_before(people, earlier)
    before = _by_index(people, earlier, frame) if earlier else Counts({}, {}, {}, {})
    generators, prompts, meetings = Counter[int](), Counter[int](), Counter[int]()
    everything = sum(held)
    for (generator, prompt), per_image, images in owed:
        everything += per_image * images
        generators[generator] += per_image * images
        prompts[prompt] += per_image * images
        meetings[generator] += images * comb(per_image, 2)
    for table, of_stratum in ((before.by_generator, generators), (before.by_prompt, prompts)):
        for (_, stratum), count in table.items():
            of_stratum[stratum] += count
    met: dict[int, list[int]] = {}
    for key, count in before.pair_generator.items():
        met.setdefault(key[2], []).append(count)
    return Targets(
        before,
        held,
        shares,
        [Fraction(generators[one], max(1, everything)) for one in range(len(frame.generators))],
        [Fraction(prompts[one], max(1, everything)) for one in range(len(frame.prompts))],
        _pair_level(list(before.pairs.values()), len(held), meetings.total()),
        [_pair_level(met.get(one, []), len(held), meetings[one]) for one in range(len(frame.generators))],
    )


def _pair_level(held: list[int], annotators: int, meetings: int) -> Fraction:
    """Return the level of all pairs when new meetings go to those that have met least."""
    pairs = comb(annotators, 2)
    if not pairs:
        return Fraction(0)
    if not any(held):
        return Fraction(meetings, pairs)
    everyone = [*held, *[0] * (pairs - len(held))]
    given = level(everyone, [max(everyone) + meetings] * pairs, meetings)
    return max(
        (low + more for low, more in zip(everyone, given, strict=True) if more),
        default=Fraction(min(everyone)),
    )


def held_before(people: Sequence[PlanAnnotator], earlier: Counts | None) -> list[int]:
    """Return the number of images of each annotator in earlier batches."""
    found = Counter[str]()
    for (code, _), count in earlier.by_generator.items() if earlier else ():
        found[code] += count
    return [found[one.code] for one in people]


def _by_index(people: Sequence[PlanAnnotator], earlier: Counts, frame: Frame) -> Counts:
    """Return counts of earlier batches by index, without annotators and strata outside this design."""
    person = {one.code: index for index, one in enumerate(people)}

    def indexed(table: Table, annotators: int, stratum: dict[str, int] | None = None) -> Table:
        found = Counter[tuple[Any, ...]]()
        for names, count in table.items():
            who = [person.get(code, -1) for code in names[:annotators]]
            what = [stratum.get(name, -1) for name in names[annotators:]] if stratum else []
            if min(*who, *what, 0) == 0:
                found[*sorted(who), *what] += count
        return found

    return Counts(
        indexed(earlier.by_generator, 1, frame.generators),
        indexed(earlier.by_prompt, 1, frame.prompts),
        indexed(earlier.pairs, 2),
        indexed(earlier.pair_generator, 2, frame.generators),
    )

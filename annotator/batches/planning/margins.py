"""The rows of the balance table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import comb

from annotator.batches.planning.assigning.frame import Frame
from annotator.batches.planning.assigning.targets import Targets
from annotator.batches.planning.balance_rows import Balance, Margin, Tally, Workload, tally

Entry = tuple[int, Fraction]
"""(count, its even share)."""
PairCounts = Mapping[tuple[int, int], int]
"""(one annotator, other annotator) → count."""


def below_one(off: Fraction) -> bool:
    """Return whether a count is an integer next to its share."""
    return off < 1


def at_most_one(off: Fraction) -> bool:
    """Return whether a count is at most one from its share."""
    return off <= 1


def balance_of(
    people: Sequence[str],
    frame: Frame,
    targets: Targets,
    overlaps: Sequence[int],
    annotators_of: Sequence[Sequence[int]],
    reason: str,
    pairs_held: Callable[[Fraction], bool] = below_one,
) -> Balance:
    """Return the balance table; margins count earlier batches too, the workload does not.

    `people` are the codes of the annotators with targets; others, who have left, are in no row.
    `reason` is that for a missed guarantee; `pairs_held` is the guarantee of pairs.
    """
    found = tally(frame.strata, annotators_of)
    margins = (
        *_annotator_margins(frame, targets, found),
        *_pair_margins(targets, found, pairs_held),
        *_overlap_margins(frame, overlaps),
    )
    explained = tuple(one if one.within else _noted(one, reason) for one in margins)
    return Balance(explained, _workload(people, frame, found))


def _noted(margin: Margin, reason: str) -> Margin:
    return replace(margin, note=f"{reason} Up to {float(margin.off):.2f} from the even share.")


def _workload(people: Sequence[str], frame: Frame, found: Tally) -> tuple[Workload, ...]:
    return tuple(
        Workload(
            person,
            found.annotator[one],
            found.overlap[one],
            {name: found.generator[one, index] for index, name in enumerate(frame.generators)},
            {name: found.prompt[one, index] for index, name in enumerate(frame.prompts)},
        )
        for one, person in enumerate(people)
    )


def _annotator_margins(frame: Frame, targets: Targets, found: Tally) -> list[Margin]:
    people = range(len(targets.held))
    totals = ((targets.held[one] + found.annotator[one], targets.total(one)) for one in people)
    by_generator = (
        (
            targets.held_generator.get((one, generator), 0) + found.generator[one, generator],
            targets.generator(one, generator),
        )
        for one in people
        for generator in range(len(frame.generators))
    )
    by_prompt = (
        (
            targets.held_prompt.get((one, prompt), 0) + found.prompt[one, prompt],
            targets.prompt(one, prompt),
        )
        for one in people
        for prompt in range(len(frame.prompts))
    )
    return [
        _margin("annotator", totals, below_one),
        _margin("annotator × generator", by_generator, at_most_one),
        _margin("annotator × prompt", by_prompt, at_most_one),
    ]


def _pair_margins(targets: Targets, found: Tally, held: Callable[[Fraction], bool]) -> list[Margin]:
    """Return the margins of pairs, most of which may never have met: they are counted, not listed."""
    pairs = comb(len(targets.held), 2)
    everywhere = met(targets.held_pair, found.pair, pairs)
    earlier, now = by_generator(targets.held_pair_generator), by_generator(found.pair_generator)
    of_each: Counter[Entry] = Counter()
    for generator, level in enumerate(targets.pair_generator_level):
        for count, times in met(earlier.get(generator, {}), now.get(generator, {}), pairs).items():
            of_each[count, level] += times
    level_of_all = {(count, targets.pair_level): times for count, times in everywhere.items()}
    return [
        _margin("pair", level_of_all, held),
        _margin("pair × generator", of_each, held),
    ]


def by_generator(table: Mapping[tuple[int, int, int], int]) -> dict[int, dict[tuple[int, int], int]]:
    """Return generator → pair → count of a table by (one, other, generator)."""
    found: dict[int, dict[tuple[int, int], int]] = {}
    for (one, other, generator), count in table.items():
        found.setdefault(generator, {})[one, other] = count
    return found


def met(earlier: PairCounts, now: PairCounts, pairs: int) -> Counter[int]:
    """Return how many of `pairs` pairs met how often, counting those in neither table as never."""
    some = earlier.keys() | now.keys()
    times = Counter(earlier.get(pair, 0) + now.get(pair, 0) for pair in some)
    if never := pairs - len(some):
        times[0] += never
    return times


def _overlap_margins(frame: Frame, overlaps: Sequence[int]) -> list[Margin]:
    rate = Fraction(sum(overlaps), len(frame.images))
    generators, prompts = Counter[int](), Counter[int]()
    generator_sizes, prompt_sizes = Counter[int](), Counter[int]()
    for (generator, prompt), size, shared in zip(frame.cells, frame.sizes, overlaps, strict=True):
        generators[generator] += shared
        prompts[prompt] += shared
        generator_sizes[generator] += size
        prompt_sizes[prompt] += size
    cells = zip(overlaps, (rate * size for size in frame.sizes), strict=True)
    return [
        _margin(
            "overlap × generator", ((generators[g], rate * n) for g, n in generator_sizes.items()), below_one
        ),
        _margin("overlap × prompt", ((prompts[p], rate * n) for p, n in prompt_sizes.items()), below_one),
        _margin("overlap × generator × prompt", cells, below_one),
    ]


def _margin(
    name: str, entries: Iterable[Entry] | Mapping[Entry, int], held: Callable[[Fraction], bool]
) -> Margin:
    counted = Counter(entries)
    if not counted:
        return Margin(name, 0, 0, Fraction(0), Fraction(0), True)
    counts = [count for count, _ in counted]
    even = sum((share * times for (_, share), times in counted.items()), Fraction(0)) / counted.total()
    off = max(abs(count - share) for count, share in counted)
    return Margin(name, min(counts), max(counts), even, off, held(off))

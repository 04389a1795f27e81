"""The balance of a plan: one row per margin and one per annotator."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

from annotator.batches.planning.assigning.frame import Frame
from annotator.batches.planning.assigning.targets import Targets
from annotator.batches.planning.counts import counted
from annotator.batches.planning.interleaving import ANCHOR, REPEAT

Entry = tuple[int, Fraction]
"""(count, its even share)."""


@dataclass(frozen=True)
class Margin:
    """Counts of one margin against their even shares.

    `even` is the mean share; if strata differ in size, each count has its own share, and `off` is the largest
    distance from it. `within`: the guarantee holds.
    """

    name: str
    smallest: int
    largest: int
    even: Fraction
    off: Fraction
    within: bool


@dataclass(frozen=True)
class Workload:
    """The images of one annotator in this plan; anchors and repeats come on top of `total`."""

    annotator: str
    total: int
    overlap: int
    by_generator: Mapping[str, int]
    by_prompt: Mapping[str, int]
    anchors: int = 0
    repeats: int = 0


@dataclass(frozen=True)
class Balance:
    """The balance table of a plan."""

    margins: tuple[Margin, ...]
    workload: tuple[Workload, ...]

    def as_json(self) -> dict[str, Any]:
        """Return the table as JSON values, with exact fractions as text."""
        margins = [
            {**asdict(margin), "even": str(margin.even), "off": str(margin.off)} for margin in self.margins
        ]
        return {"margins": margins, "workload": [asdict(row) for row in self.workload]}


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
    pairs_held: Callable[[Fraction], bool] = below_one,
    checks: Mapping[tuple[str, str], int] | None = None,
) -> Balance:
    """Return the balance table; margins count earlier batches too, the workload does not.

    `people` are the codes of the annotators with targets; others, who have left, are in no row.
    `pairs_held` is the guarantee of pairs. `checks` are the numbers of anchors and repeats by
    (annotator, purpose).
    """
    rows, generators, prompts = range(len(people)), range(len(frame.generators)), range(len(frame.prompts))
    now = counted((*stratum, held) for stratum, held in zip(frame.strata, annotators_of, strict=True))
    counts = targets.before + now
    given = Counter(one for held in annotators_of for one in held)
    shared = Counter(one for held in annotators_of if len(held) > 1 for one in held)
    pairs = list(combinations(rows, 2))
    # Most pairs may never have met: equal counts are one entry.
    met = Counter(counts.pairs.get(pair, 0) for pair in pairs)
    met_at = Counter[Entry]()
    for generator, level in enumerate(targets.pair_generator_level):
        of_one = Counter(counts.pair_generator.get((*pair, generator), 0) for pair in pairs)
        met_at.update({(count, level): times for count, times in of_one.items()})
    margins = (
        _margin("annotator", ((targets.held[one] + given[one], targets.total(one)) for one in rows)),
        _margin(
            "annotator × generator",
            ((counts.by_generator.get((a, g), 0), targets.generator(a, g)) for a in rows for g in generators),
            at_most_one,
        ),
        _margin(
            "annotator × prompt",
            ((counts.by_prompt.get((a, p), 0), targets.prompt(a, p)) for a in rows for p in prompts),
            at_most_one,
        ),
        _margin("pair", {(count, targets.pair_level): times for count, times in met.items()}, pairs_held),
        _margin("pair × generator", met_at, pairs_held),
        *_overlap_margins(frame, overlaps),
    )
    workload = (
        Workload(
            person,
            given[one],
            shared[one],
            {name: now.by_generator.get((one, index), 0) for index, name in enumerate(frame.generators)},
            {name: now.by_prompt.get((one, index), 0) for index, name in enumerate(frame.prompts)},
            *((checks[person, ANCHOR], checks[person, REPEAT]) if checks else ()),
        )
        for one, person in enumerate(people)
    )
    return Balance(margins, tuple(workload))


def _overlap_margins(frame: Frame, overlaps: Sequence[int]) -> list[Margin]:
    rate = Fraction(sum(overlaps), len(frame.images))
    found = []
    for name, part in (
        ("overlap × generator", slice(0, 1)),
        ("overlap × prompt", slice(1, 2)),
        ("overlap × generator × prompt", slice(2)),
    ):
        shared, sizes = Counter[Any](), Counter[Any]()
        for cell, size, count in zip(frame.cells, frame.sizes, overlaps, strict=True):
            shared[cell[part]] += count
            sizes[cell[part]] += size
        found.append(_margin(name, ((shared[key], rate * size) for key, size in sizes.items())))
    return found


def _margin(
    name: str,
    entries: Iterable[Entry] | Mapping[Entry, int],
    held: Callable[[Fraction], bool] = below_one,
) -> Margin:
    times = Counter(entries)
    if not times:
        return Margin(name, 0, 0, Fraction(0), Fraction(0), True)
    counts = [count for count, _ in times]
    even = sum((share * number for (_, share), number in times.items()), Fraction(0)) / times.total()
    off = max(abs(count - share) for count, share in times)
    return Margin(name, min(counts), max(counts), even, off, held(off))

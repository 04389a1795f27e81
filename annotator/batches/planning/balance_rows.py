"""The balance of a plan: one row per margin and one per annotator."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any


@dataclass(frozen=True)
class Margin:
    """Counts of one margin against their even shares.

    `even` is the mean share; if strata differ in size, each count has its own share, and `off` is the largest
    distance from it. `within`: the guarantee holds; `note` is the reason if it does not.
    """

    name: str
    smallest: int
    largest: int
    even: Fraction
    off: Fraction
    within: bool
    note: str = ""


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

    @property
    def within(self) -> bool:
        """Whether every guarantee holds."""
        return all(margin.within for margin in self.margins)

    def as_json(self) -> dict[str, Any]:
        """Return the table as JSON values, with exact fractions as text."""
        margins = [
            {**asdict(margin), "even": str(margin.even), "off": str(margin.off)} for margin in self.margins
        ]
        return {"margins": margins, "workload": [asdict(row) for row in self.workload]}


@dataclass
class Tally:
    """Counts of a plan by index."""

    annotator: Counter[int]
    overlap: Counter[int]
    generator: Counter[tuple[int, int]]
    prompt: Counter[tuple[int, int]]
    pair: Counter[tuple[int, int]]
    pair_generator: Counter[tuple[int, int, int]]


def tally(strata: Sequence[tuple[int, int]], annotators_of: Sequence[Sequence[int]]) -> Tally:
    """Count assignments; both lists are by image, `strata` are (generator, prompt)."""
    found = Tally(Counter(), Counter(), Counter(), Counter(), Counter(), Counter())
    for (generator, prompt), people in zip(strata, annotators_of, strict=True):
        for one in people:
            found.annotator[one] += 1
            found.generator[one, generator] += 1
            found.prompt[one, prompt] += 1
        if len(people) > 1:
            found.overlap.update(people)
            for first, second in combinations(sorted(people), 2):
                found.pair[first, second] += 1
                found.pair_generator[first, second, generator] += 1
    return found

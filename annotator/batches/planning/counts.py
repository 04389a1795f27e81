"""How often annotators had images of a generator or prompt, and pairs of them the same image."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

Table = Mapping[tuple[Any, ...], int]


@dataclass(frozen=True)
class Counts:
    """Counts of annotators' images, by codes and names or by their indexes; pairs are sorted.

    The keys are (annotator, generator), (annotator, prompt), (one, other) and (one, other, generator).
    """

    by_generator: Table
    by_prompt: Table
    pairs: Table
    pair_generator: Table

    def __add__(self, other: Counts) -> Counts:
        """Return the sums of both."""
        mine, more = vars(self), vars(other)
        return Counts(**{name: Counter(table) + Counter(more[name]) for name, table in mine.items()})


def counted(images: Iterable[tuple[Any, Any, Collection[Any]]]) -> Counts:
    """Count images, each given as (generator, prompt, annotators)."""
    by_generator, by_prompt, pairs, pair_generator = (Counter[Any]() for _ in range(4))
    for generator, prompt, people in images:
        for one in people:
            by_generator[one, generator] += 1
            by_prompt[one, prompt] += 1
        for pair in combinations(sorted(set(people)), 2) if len(people) > 1 else ():
            pairs[pair] += 1
            pair_generator[*pair, generator] += 1
    return Counts(by_generator, by_prompt, pairs, pair_generator)

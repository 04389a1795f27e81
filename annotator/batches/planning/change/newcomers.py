"""Annotators who join a batch that balances earlier ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from statistics import median_low
from typing import Any

from annotator.batches.planning.counts import Counts
from annotator.batches.planning.design import Design


def with_newcomers(release: Design, codes: Sequence[str]) -> Counts | None:
    """Return the counts that a release balanced, with newcomers and their pairs at the median of the others.

    `codes` are the annotators now, and the median is that of a stratum. Newcomers held nothing when the batch
    was planned. Balanced in full, they would take work from all others; so they get an even share of this
    batch, and as many partners as the others.
    """
    earlier, known = release.earlier, [one.code for one in release.annotators]
    newcomers = [code for code in codes if code not in known]
    if earlier is None or not newcomers:
        return earlier
    old, new = [(code,) for code in known], [(code,) for code in newcomers]
    pairs = list(combinations(sorted(known), 2))
    new_pairs = set(combinations(sorted((*known, *newcomers)), 2)) - set(pairs)
    return Counts(
        _filled(earlier.by_generator, old, new),
        _filled(earlier.by_prompt, old, new),
        _filled(earlier.pairs, pairs, sorted(new_pairs)),
        _filled(earlier.pair_generator, pairs, sorted(new_pairs)),
    )


def _filled(table: Mapping[Any, int], held: Sequence[Any], new: Sequence[Any]) -> dict[Any, int]:
    """Return a table, whose keys begin with those of `held`, with the median of these for those of `new`."""
    strata = {key[len(new[0]) :] for key in table}
    middle = {rest: median_low([table.get((*one, *rest), 0) for one in held] or [0]) for rest in strata}
    return {**table, **{(*one, *rest): count for one in new for rest, count in middle.items()}}

"""Annotators who join a batch that balances earlier ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from annotator.batches.planning.design import Earlier


def with_newcomers(earlier: Earlier, known: Sequence[str], newcomers: Sequence[str]) -> Earlier:
    """Return the counts with newcomers at the median of `known`.

    They held nothing when the batch was planned. Balanced in full, they would take work from all others;
    so they get an even share of this batch, and as many partners as the others.
    """
    if not known or not newcomers:
        return earlier
    totals = {code: _total(earlier, code) for code in known}
    model = _middle(known, totals)
    met = {other: earlier.pairs.get(_pair(model, other), 0) for other in known if other != model}
    like = _middle(list(met), met) if met else None
    stands_for = {**{code: code for code in known}, **dict.fromkeys(newcomers, model)}
    pairs, pair_generator = dict(earlier.pairs), dict(earlier.pair_generator)
    for one, other in combinations(sorted(stands_for), 2):
        a, b = stands_for[one], stands_for[other]
        if (a, b) == (one, other) or like is None:
            continue
        source = _pair(a, b) if a != b else _pair(model, like)
        pairs[one, other] = earlier.pairs.get(source, 0)
        for (*pair, generator), count in earlier.pair_generator.items():
            if tuple(pair) == source:
                pair_generator[one, other, generator] = count
    return Earlier(
        _copied(earlier.by_generator, model, newcomers),
        _copied(earlier.by_prompt, model, newcomers),
        pairs,
        pair_generator,
    )


def _copied(
    counts: Mapping[tuple[str, str], int], model: str, newcomers: Sequence[str]
) -> dict[tuple[str, str], int]:
    of_model = {stratum: count for (code, stratum), count in counts.items() if code == model}
    kept = {key: count for key, count in counts.items() if key[0] not in newcomers}
    return kept | {(code, stratum): count for code in newcomers for stratum, count in of_model.items()}


def _total(earlier: Earlier, code: str) -> int:
    return sum(count for (one, _), count in earlier.by_generator.items() if one == code)


def _middle(codes: Sequence[str], counts: Mapping[str, int]) -> str:
    return sorted(codes, key=lambda code: (counts[code], code))[(len(codes) - 1) // 2]


def _pair(one: str, other: str) -> tuple[str, str]:
    return (one, other) if one < other else (other, one)

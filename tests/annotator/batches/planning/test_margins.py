"""Pairs that never met are counted without listing them."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest

from annotator.batches.planning.margins import met

PEOPLE = 6


@pytest.mark.parametrize(
    ("earlier", "now"),
    [
        ({}, {}),
        ({(0, 1): 2}, {}),
        ({(0, 1): 2, (2, 4): 0}, {(0, 1): 1, (3, 5): 4}),
        (dict.fromkeys(combinations(range(PEOPLE), 2), 1), {(0, 5): 1}),
    ],
)
def test_pairs_are_counted_as_if_all_were_listed(
    earlier: dict[tuple[int, int], int], now: dict[tuple[int, int], int]
) -> None:
    pairs = list(combinations(range(PEOPLE), 2))
    listed = Counter(earlier.get(pair, 0) + now.get(pair, 0) for pair in pairs)
    assert met(earlier, now, len(pairs)) == listed

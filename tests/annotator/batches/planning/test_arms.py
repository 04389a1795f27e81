"""Arms are even within annotator and generator, and over all of an annotator."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import ceil, floor

import pytest

from annotator.batches.planning.arms import arms


@pytest.mark.parametrize("share", [Fraction(1, 2), Fraction(1, 3), Fraction(99, 100)])
@pytest.mark.parametrize("seed", range(5))
def test_every_count_is_the_share_rounded_down_or_up(share: Fraction, seed: int) -> None:
    cells = [(f"p{i % 3}", f"g{(i * i) % 5}") for i in range(137)]
    drawn = arms(cells, share, seed)
    assert drawn == arms(cells, share, seed)
    seen = Counter(cell for cell, one in zip(cells, drawn, strict=True) if one)
    for cell, number in Counter(cells).items():
        assert floor(number * share) <= seen[cell] <= ceil(number * share)
    for person, number in Counter(person for person, _ in cells).items():
        own = sum(count for (who, _), count in seen.items() if who == person)
        assert floor(number * share) <= own <= ceil(number * share)


def test_each_assignment_is_equally_likely_to_be_in_an_arm() -> None:
    cells = [("p", "g"), ("p", "g"), ("p", "h")]
    found = [
        sum(column)
        for column in zip(*(arms(cells, Fraction(1, 2), seed) for seed in range(2000)), strict=True)
    ]
    assert all(abs(count - 1000) < 110 for count in found), found  # 5 standard errors


def test_the_whole_share_is_everybody_and_none_is_nobody() -> None:
    cells = [("p", "g"), ("q", "g"), ("q", "h")]
    assert arms(cells, Fraction(1), 3) == [True] * 3
    assert arms(cells, Fraction(0), 3) == [False] * 3
    assert arms([], Fraction(1, 2), 3) == []

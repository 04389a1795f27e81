"""The heading says no more than the corrected tests."""

from __future__ import annotations

from typing import Any

import pytest

from analysis.first_screen.headline import headline_of
from analysis.first_screen.ranking import Order
from tests.analysis.first_screen.making import basis

THREE = {"a": 0.8, "b": 1.8, "c": 2.1}


@pytest.mark.parametrize(
    ("unclear", "said"),
    [
        (set(), "a makes the fewest anatomical errors"),
        ({"bc"}, "a makes the fewest anatomical errors"),
        ({"ab"}, "a and b make the fewest anatomical errors"),
        ({"ab", "bc"}, "No clear ranking yet"),
        ({"ab", "ac"}, "No clear ranking yet"),
        ({"ab", "ac", "bc"}, "No clear ranking yet"),
    ],
)
def test_who_makes_the_fewest_errors(unclear: set[str], said: str) -> None:
    found = headline_of(Order(basis(THREE, {frozenset(each) for each in unclear})))
    assert found.text == said
    assert found.clear == said.startswith("a")
    assert (found.value, found.others) == ("0.80", (("b", "1.80"), ("c", "2.10")))


def test_a_tie_is_never_hidden_behind_a_name() -> None:
    equal = basis({"a": 1.0, "b": 1.0}, {frozenset("ab")})
    assert headline_of(Order(equal)).text == "No clear ranking yet"


@pytest.mark.parametrize(
    ("means", "sizes", "said"),
    [
        ({"a": 0.8}, {}, "a is the only generator"),
        ({"a": 0.8, "b": 1.0}, {"b": 5}, "Only a has enough scores"),
        ({"a": 0.8, "b": 1.0}, {"a": 5, "b": 5}, "Too few scores for a ranking"),
        ({}, {}, "Too few scores for a ranking"),
    ],
)
def test_too_little_to_compare(means: dict[str, float], sizes: dict[str, int], said: str) -> None:
    found = headline_of(Order(basis(means, set(), sizes)))
    assert (found.text, found.clear) == (said, False)


def test_many_others_are_counted() -> None:
    means: dict[str, Any] = {f"g{number}": 1 + number for number in range(8)}
    found = headline_of(Order(basis(means, set())))
    assert (len(found.others), found.more) == (4, "3 others")

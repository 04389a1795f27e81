"""The heading says no more than the corrected tests."""

from __future__ import annotations

from typing import Any

import pytest

from analysis.first_screen.ranking import Order
from analysis.first_screen.screen import headline_of
from tests.analysis.first_screen.making import mean, order

THREE = {"a": 0.8, "b": 1.8, "c": 2.1}


@pytest.mark.parametrize(
    ("unclear", "text", "clear"),
    [
        (set(), "a is best", True),
        ({"bc"}, "a is best", True),
        ({"ab"}, "a and b are best", True),
        ({"ab", "bc"}, "a is better than c", True),
        ({"ab", "ac"}, "b is better than c", True),
        ({"ab", "ac", "bc"}, "No generator is clearly best", False),
    ],
)
def test_who_is_best(unclear: set[str], text: str, clear: bool) -> None:
    found = headline_of(order(THREE, {frozenset(each) for each in unclear}))
    assert (found.text, found.clear) == (text, clear)
    assert found.means == (("a", "0.80"), ("b", "1.80"), ("c", "2.10"))


def test_on_a_scale_where_higher_is_better_the_highest_is_best() -> None:
    found = headline_of(order(THREE, {frozenset("ab")}, higher_is_better=True))
    assert found.text == "c is best"
    assert found.means[0] == ("c", "2.10")


def test_a_model_that_contradicts_the_means_decides() -> None:
    """Whoever judged mostly a is strict, so raw means say the opposite."""
    found = order({"a": 1.0, "b": 0.8}, set())
    assert headline_of(found).text == "b is best"
    turned = [{**test, "difference": mean(-0.5)} for test in found.tests]
    assert headline_of(Order(found.rows, turned)).text == "a is better than b"


def test_too_little_to_compare() -> None:
    assert headline_of(order({"a": 0.8}, set())).text == "a is the only generator"
    untested = Order(order(THREE, set()).rows, [])
    assert (headline_of(untested).text, headline_of(untested).clear) == (
        "No verdict on the generators",
        False,
    )


def test_many_others_are_counted() -> None:
    means: dict[str, Any] = {f"g{number}": 1 + number for number in range(8)}
    found = headline_of(order(means, set()))
    assert (len(found.means), found.more) == (5, "3 others")

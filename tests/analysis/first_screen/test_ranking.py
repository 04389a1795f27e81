"""Rows in order, brackets of clear differences, and an axis on the protocol's own scale."""

from __future__ import annotations

from typing import Any

from analysis.first_screen.ranking import Bracket, Order, ranking_of
from tests.analysis.first_screen.making import mean, order

FROM_0 = (0.0, None)


def test_brackets_join_what_differs_clearly() -> None:
    found = order({"c": 2.1, "a": 0.8, "b": 1.8}, {frozenset("bc")}, near={frozenset("ab")})
    assert found.brackets() == [Bracket(0, 1, near=True), Bracket(0, 2, near=False)]
    ranking = ranking_of(found, FROM_0)
    assert [row.generator for row in ranking.rows] == ["a", "b", "c"]
    assert [len(row.brackets) for row in ranking.rows] == [2, 2, 1]
    assert (ranking.has_brackets, ranking.has_near) == (True, True)
    first, last = ranking.rows[0].brackets[1], ranking.rows[2].brackets[0]
    assert (first.from_y, first.to_y, first.ends) == ("50%", "100%", True)
    assert (last.from_y, last.to_y, last.ends) == ("0%", "50%", True)
    between = ranking.rows[1].brackets[1]
    assert (between.from_y, between.to_y, between.ends) == ("0%", "100%", False)


def test_of_many_clear_pairs_the_nearest_are_joined() -> None:
    means = {name: float(place) for place, name in enumerate("abcde")}
    assert order(means, set()).brackets() == [Bracket(place, place + 1, near=False) for place in range(3)]
    neighbours = {frozenset(pair) for pair in ("ab", "bc", "cd", "de")}
    assert [(pair.first, pair.last) for pair in order(means, neighbours).brackets()] == [
        (0, 2),
        (1, 3),
        (2, 4),
    ]


def test_nothing_clear_has_no_bracket() -> None:
    assert not ranking_of(order({"a": 1.0, "b": 1.0}, {frozenset("ab")}), FROM_0).has_brackets


def row_of(**about: Any) -> Any:
    row = {"generator": "a", "images": 80, "mean": mean(0.5), **about}
    return ranking_of(Order([row], []), FROM_0).rows[0]


def test_a_mean_without_an_interval_says_why() -> None:
    found = row_of(mean=mean(0.5, 0))
    assert (found.value, found.interval, found.low) == ("0.50", "one image", "")


def test_rank_and_share_without_errors_are_said_if_the_report_has_them() -> None:
    assert (row_of().rank, row_of().clean, row_of().some_clean) == ("", "", False)
    found = row_of(rank="1–2", clean=33)
    assert (found.rank, found.clean, found.some_clean) == ("rank 1–2", "41% without errors", True)
    assert row_of(images=8, clean=1).clean == "1 of 8 without errors"

"""Ranks with ties, brackets, and an axis from 0."""

from __future__ import annotations

import pytest
from analysis.first_screen.basis import Basis, Scored

from analysis.first_screen.ranking import Order, ranking_of
from tests.analysis.first_screen.making import basis, mean


def test_ties_share_their_ranks_and_have_a_bracket() -> None:
    order = Order(basis({"c": 2.1, "a": 0.8, "b": 1.8}, {frozenset("bc")}))
    ranking = ranking_of(order)
    assert [(row.generator, row.rank) for row in ranking.rows] == [
        ("a", "rank 1"),
        ("b", "rank 2–3"),
        ("c", "rank 2–3"),
    ]
    assert order.ties() == [(1, 2)]
    assert [len(row.brackets) for row in ranking.rows] == [0, 1, 1]
    (upper,), (lower,) = ranking.rows[1].brackets, ranking.rows[2].brackets
    assert (upper.from_y, upper.to_y, upper.label) == ("50%", "100%", True)
    assert (lower.from_y, lower.to_y, lower.label) == ("0%", "50%", False)


def test_likeness_that_is_not_transitive_has_two_brackets() -> None:
    """The first and the last differ, but neither differs from the one between."""
    order = Order(basis({"a": 1.0, "b": 1.2, "c": 1.4}, {frozenset("ab"), frozenset("bc")}))
    assert order.ties() == [(0, 1), (1, 2)]
    assert [row.rank for row in ranking_of(order).rows] == ["rank 1–2", "rank 1–3", "rank 2–3"]
    assert order.leaders() == []


def test_the_axis_starts_at_0_and_holds_every_interval() -> None:
    ranking = ranking_of(Order(basis({"a": 0.8, "b": 2.28}, set())))
    assert [tick.text for tick in ranking.ticks] == ["0", "0.5", "1", "1.5", "2", "2.5", "3"]
    assert [tick.at for tick in ranking.ticks][:2] == ["0.00%", "16.67%"]
    first = ranking.rows[0]
    assert (first.value, first.interval) == ("0.80", "0.60 to 1.00")
    assert (first.low, first.at, first.high) == ("20.00%", "26.67%", "33.33%")


@pytest.mark.parametrize(
    ("n", "state", "rank"), [(7, "too-few", ""), (8, "few", "rank 1"), (20, "", "rank 1")]
)
def test_few_scores_are_said(n: int, state: str, rank: str) -> None:
    ranking = ranking_of(Order(basis({"a": 0.5, "b": 1.0}, set(), {"a": n})))
    row = next(row for row in ranking.rows if row.generator == "a")
    assert (row.state, row.rank) == (state, rank)
    assert row.interval == ("too few: 7 of 8" if n == 7 else "0.30 to 0.70")
    assert bool(row.low) == (n > 7)


def test_the_share_without_errors_is_said_if_known() -> None:
    known = [Scored("a", 80, mean(0.5), 33), Scored("b", 80, mean(1.5)), Scored("c", 80, mean(2.5), 0)]
    rows = ranking_of(Order(Basis("image", known, []))).rows
    assert [(row.clean, row.some_clean) for row in rows] == [
        ("41% without errors", True),
        ("", False),
        ("0% without errors", False),
    ]


def test_many_generators_scroll() -> None:
    means = {f"g{number}": 1 + number / 10 for number in range(9)}
    assert ranking_of(Order(basis(means, set()))).scrolls
    del means["g8"]
    assert not ranking_of(Order(basis(means, set()))).scrolls


def test_scores_of_0_have_an_axis() -> None:
    nothing = basis({"a": 0.0, "b": 0.0}, {frozenset("ab")})
    assert [row.at for row in ranking_of(Order(nothing)).rows] == ["0.00%", "0.00%"]

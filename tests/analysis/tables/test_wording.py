"""Numbers in sentences."""

from __future__ import annotations

import pytest

from analysis.tables.wording import by_chance, lower_first


@pytest.mark.parametrize(
    ("p", "words"),
    [
        (0.0009, "in fewer than 1 of 1,000 studies (p < 0.001)"),
        (0.001, "in 1 of 1,000 studies (p = 0.001)"),
        (0.0094, "in 9 of 1,000 studies (p = 0.009)"),
        (0.0638, "in 6 of 100 studies (p = 0.064)"),
        (0.894, "in 89 of 100 studies (p = 0.894)"),
        (0.9, "readily (p = 0.900)"),
    ],
)
def test_a_p_value_is_a_share_of_studies(p: float, words: str) -> None:
    assert by_chance(p) == words


def test_the_lower_of_two_generators_comes_first() -> None:
    gap = {"value": 2.0, "low": 1.0, "high": 4.0}
    turned = {"a": "y", "b": "x", "difference": {"value": -2.0, "low": -4.0, "high": -1.0}, "p": 0.01}
    assert lower_first({"a": "x", "b": "y", "difference": gap, "p": 0.01}) == turned
    assert lower_first(turned) == turned

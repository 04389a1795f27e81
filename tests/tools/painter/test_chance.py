"""The seeded draws are the same everywhere, so a change of the algorithm must be noticed."""

from __future__ import annotations

from tools.painter.chance import Chance


def test_draws_of_a_name_never_change() -> None:
    chance = Chance("anatomark")
    assert [round(chance.unit(), 6) for _ in range(3)] == [0.380212, 0.60151, 0.540271]
    assert Chance("anatomark").shuffled(range(6)) == [0, 1, 4, 5, 3, 2]


def test_bounds() -> None:
    chance = Chance("bounds")
    assert {chance.below(3) for _ in range(200)} == {0, 1, 2}
    assert all(2 <= chance.between(2, 3) < 3 for _ in range(200))
    assert not any(chance.happens(0) for _ in range(200))
    assert all(chance.happens(1) for _ in range(200))


def test_rounding_keeps_the_mean() -> None:
    chance = Chance("rounding")
    draws = [chance.rounded(1.25) for _ in range(4000)]
    assert set(draws) == {1, 2}
    assert abs(sum(draws) / len(draws) - 1.25) < 0.03

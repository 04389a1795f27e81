"""The forecast of completion: its range, and when there is none."""

from __future__ import annotations

import random
from math import sqrt

import pytest

from analysis.stats.forecast import forecast


def test_a_steady_pace_has_no_range() -> None:
    found = forecast([10] * 7, 50)
    assert found is not None
    assert (found.per_day, found.expected, found.low, found.high) == (10, 5, 5, 5)


@pytest.mark.parametrize("days", [[], [5, 5], [0, 0, 9, 0, 9, 0, 0]])
def test_too_few_days_say_nothing(days: list[int]) -> None:
    assert forecast(days, 50) is None


def test_nothing_left_needs_no_forecast() -> None:
    assert forecast([10] * 7, 0) is None


def test_the_bounds_solve_the_equation() -> None:
    days = [12, 3, 8, 15, 9, 0, 11]
    found = forecast(days, 90)
    assert found is not None
    assert found.high is not None
    assert found.low < found.expected < found.high
    pace = sum(days) / 7
    spread = 1.440 * sqrt(sum((day - pace) ** 2 for day in days) / 6)
    for sign, d in ((1, found.low), (-1, found.high)):
        assert d * pace + sign * spread * sqrt(d + d * d / 7) == pytest.approx(90)


def test_an_erratic_pace_has_no_end() -> None:
    found = forecast([40, 0, 0, 1, 0, 0, 1], 200)
    assert found is not None
    assert found.high is None
    assert 0 < found.low < found.expected


def test_only_the_last_seven_days_count() -> None:
    assert forecast([900, 10, 10, 10, 10, 10, 10, 10], 50) == forecast([10] * 7, 50)


def test_the_range_holds_four_times_in_five() -> None:
    dice = random.Random(7)
    held = 0
    for _ in range(800):
        days = [round(max(0, dice.gauss(30, 8))) for _ in range(7)]
        found = forecast(days, 300)
        assert found is not None
        assert found.high is not None
        done, needed = 0.0, 0
        while done < 300:
            one = max(0, dice.gauss(30, 8))
            done, needed = done + one, needed + 1
        # A part of the last day.
        true = needed - (done - 300) / one
        held += found.low <= true <= found.high
    assert 0.74 <= held / 800 <= 0.88

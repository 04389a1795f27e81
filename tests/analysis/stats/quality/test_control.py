"""The control chart gives the numbers of the design, and alarms only for lasting shifts."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.stats.quality.control import alarms, averages, chart, limits

# Ten anchors with σ = 0.10; averages and limits at 6 and 7 were computed by hand for the design.
WORKED = (0.05, -0.10, 0.02, 0.08, -0.04, 0.30, 0.35, 0.28, 0.40, 0.33)


def test_the_worked_chart() -> None:
    found = chart(WORKED, 0.10)
    assert found.average[5:7] == pytest.approx([0.0610, 0.1188], abs=5e-5)
    assert found.limit[5:7] == pytest.approx([0.0869, 0.0880], abs=5e-5)
    assert found.out_since == 7
    assert found.alarms


def test_a_cumulative_sum_agrees_with_the_worked_chart() -> None:
    """Another kind of chart, CUSUM with an allowance of σ/2 and a limit of 5 σ, leaves at the same anchor."""
    sums = [0.0]
    for value in WORKED:
        sums.append(max(0.0, sums[-1] + value - 0.5 * 0.10))
    assert sums[7] == pytest.approx(0.55)
    beyond = [place for place, value in enumerate(sums) if value > 5 * 0.10 + 1e-12]
    assert beyond[0] == chart(WORKED, 0.10).out_since == 7


def test_the_mirrored_chart_is_out_below() -> None:
    found = chart([-value for value in WORKED], 0.10)
    assert (found.out_since, found.alarms) == (7, True)


def test_limits_approach_the_asymptote() -> None:
    # L σ √(λ/(2 − λ)) = 2.7 · 1/3 for σ = 1, and L λ σ at first.
    found = limits(200)
    assert found[0] == pytest.approx(2.7 * 0.2)
    assert found[-1] == pytest.approx(0.9)


def test_two_averages_beyond_are_no_alarm_and_three_are() -> None:
    assert not chart(WORKED[:8], 0.10).alarms
    assert chart(WORKED[:9], 0.10).alarms


def test_an_alarm_stays_for_ten_anchors() -> None:
    later = [*WORKED, *([-0.2] * 4), *([0.0] * 5)]
    assert chart(later, 0.10).alarms
    assert not chart([*later, *([0.0] * 10)], 0.10).alarms


def test_averages_on_both_sides_are_no_alarm() -> None:
    average = np.array([0.0] * 10 + [1.0, -1.0, 1.0, -1.0])
    assert not alarms(average, np.full(14, 0.5)).any()


def test_no_alarm_before_eight_anchors() -> None:
    average = np.ones(12)
    assert alarms(average, np.full(12, 0.5)).tolist() == [False] * 7 + [True] * 5


def test_without_a_sigma_there_are_no_limits() -> None:
    for sigma in (None, 0.0):
        found = chart(WORKED, sigma, "too few")
        assert np.isnan(found.limit).all()
        assert (found.out_since, found.alarms, found.sigma) == (None, False, None)
    assert not chart([], 0.1).alarms


def test_several_series_at_once() -> None:
    both = np.array([WORKED, WORKED[::-1]])
    assert averages(both)[0] == pytest.approx(averages(np.array(WORKED)))

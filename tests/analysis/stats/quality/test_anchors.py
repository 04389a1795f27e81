"""Differences from references: overall, and whether the last ones are away from 0."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from analysis.stats.quality.anchors import RECENT, anchored

MOVED = (0.05, -0.10, 0.02, 0.08, 0.2, 0.30, 0.35, 0.28, 0.40, 0.33, 0.3, 0.1)


def test_the_last_differences_are_tested_by_students_test() -> None:
    found = anchored(MOVED)
    outside = stats.ttest_1samp(MOVED[-RECENT:], 0)
    assert (found.anchors, found.is_away) == (12, outside.pvalue < 0.05) == (12, True)
    assert found.overall["value"] == pytest.approx(np.mean(MOVED))
    limits = outside.confidence_interval(0.95)
    assert (found.lately["low"], found.lately["high"]) == pytest.approx((limits.low, limits.high))


def test_a_side_is_not_enough() -> None:
    assert not anchored((0.5, -0.3, 0.6, -0.2, 0.4, 0.3, -0.1, 0.5, 0.2, -0.4)).is_away


def test_equal_differences_are_away_unless_they_are_0() -> None:
    assert anchored([0.25] * 8).is_away
    assert not anchored([0.0] * 8).is_away
    assert anchored([0.25] * 8).lately["low"] is None


def test_what_was_long_ago_does_not_count_lately() -> None:
    assert not anchored([*[5.0, 4.0] * 6, *[0.1, -0.1] * 5]).is_away


def test_few_anchors_are_never_away() -> None:
    assert not anchored([1.0, 1.1, 0.9, 1.0, 1.1, 0.9, 1.0]).is_away
    assert anchored([])
    assert anchored([]).overall["refused"] == "no anchors"


def test_an_interval_beside_0_is_named_and_no_other() -> None:
    """Of 14 anchors the last five are higher: [0.260672, 1.169328] over the last ten, p = 0.006."""
    steady, higher = [-0.3, 0.5] * 4, [1.25] * 5
    found = anchored([-0.75, *steady, *higher])
    assert found.is_away
    assert (found.lately["low"], found.lately["high"]) == pytest.approx((0.260672, 1.169328), abs=5e-7)
    assert not anchored([-0.75, *steady, *higher[:2]]).is_away


def test_at_any_time_one_in_twenty_steady_annotators_is_named() -> None:
    rng = np.random.default_rng(1)
    named = sum(anchored(values).is_away for values in rng.normal(size=(2_000, 14)))
    assert 0.04 < named / 2_000 < 0.06

"""Speed, equal annotations, and severities never used."""

from __future__ import annotations

import pytest

from analysis.stats.quality.habits import habits_of, never_used
from analysis.stats.quality.records import WorkRecord


def work(
    said: list[int], active_ms: int | None = 30_000, severities: tuple[int, ...] = ()
) -> list[WorkRecord]:
    return [WorkRecord(place, place, active_ms, what, severities) for place, what in enumerate(said)]


def test_what_is_fast_depends_on_the_protocol() -> None:
    times = [*work([1, 2], 2_000), *work([3], 599), *work([4], 600)]
    assert (habits_of(times).fast, habits_of(times, 600).fast) == (4, 1)


def test_speed_is_of_known_times() -> None:
    found = habits_of([*work([1, 2], 4_999), *work([3], 5_000), *work([4], None)])
    assert (found.annotations, found.timed, found.median_ms, found.fast) == (4, 3, 4_999, 2)
    assert found.fast_share == pytest.approx(2 / 3)


def test_nothing_is_known_of_nobody() -> None:
    found = habits_of([])
    assert (found.median_ms, found.fast_share, found.all_equal, found.severities) == (None, None, False, ())


def test_the_last_24_may_be_all_equal() -> None:
    assert habits_of(work([1, 2, *[0] * 24])).all_equal
    assert not habits_of(work([0] * 23)).all_equal
    assert not habits_of(work([*[0] * 24, 1])).all_equal


def test_a_severity_that_all_others_use_and_one_never() -> None:
    others = [habits_of(work([1] * 30, severities=(1, 1, 1)))]
    assert never_used(habits_of(work([1] * 30, severities=(1, 1, 0))), others) == (2,)
    assert never_used(habits_of(work([1] * 30, severities=(1, 1, 1))), others) == ()
    # Six marks without c have the probability (2/3)^6, about a tenth.
    assert never_used(habits_of(work([1] * 3, severities=(1, 1, 0))), others) == ()
    assert never_used(habits_of(work([1] * 30)), others) == ()

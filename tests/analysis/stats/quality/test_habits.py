"""Speed, runs of equal annotations, and severities never used."""

from __future__ import annotations

from itertools import product

import pytest

from analysis.stats.quality.habits import expected_runs, habits_of, is_flat, never_used
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
    assert (found.median_ms, found.fast_share, found.run, found.severities) == (None, None, 0, ())


def test_the_longest_run_and_where_it_ends() -> None:
    found = habits_of(work([1, 1, 2, 2, 2, 3, 2, 2]))
    assert (found.run, found.run_ends, found.commonest) == (3, 5, 5)


@pytest.mark.parametrize(("n", "run"), [(6, 3), (8, 2), (10, 4)])
def test_expected_runs_are_those_of_all_sequences(n: int, run: int) -> None:
    share, expected = 0.3, 0.0
    for said in product("01", repeat=n):
        probability = share ** said.count("1") * (1 - share) ** said.count("0")
        expected += probability * sum(len(part) >= run for part in "".join(said).split("0"))
    assert expected_runs(n, share, run) == pytest.approx(expected)


def test_a_long_run_is_flat_unless_the_others_repeat_themselves_as_much() -> None:
    own = habits_of(work([0] * 24 + list(range(1, 77))))
    varied = habits_of(work(list(range(100))))
    clean = habits_of(work([0] * 95 + [1, 2, 3, 4, 5]))
    assert is_flat(own, [])
    assert is_flat(own, [varied])
    assert not is_flat(own, [clean])
    assert not is_flat(habits_of(work([0] * 23)), [varied])


def test_a_severity_that_all_others_use_and_one_never() -> None:
    others = [habits_of(work([1] * 30, severities=(1, 1, 1)))]
    assert never_used(habits_of(work([1] * 30, severities=(1, 1, 0))), others) == (2,)
    assert never_used(habits_of(work([1] * 30, severities=(1, 1, 1))), others) == ()
    # Six marks without c have the probability (2/3)^6, about a tenth.
    assert never_used(habits_of(work([1] * 3, severities=(1, 1, 0))), others) == ()
    assert never_used(habits_of(work([1] * 30)), others) == ()

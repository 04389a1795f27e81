"""Slices of rows: all of them in order, and none that keeps others waiting."""

from __future__ import annotations

import pytest

from annotator.database.slices import slices


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [0.0]
    monkeypatch.setattr("annotator.database.slices.time.monotonic", lambda: now[0])
    return now


def sizes(clock: list[float], rows: int, largest: int, seconds_per_row: float) -> list[int]:
    found = []
    for chunk in slices(range(rows), largest):
        clock[0] += seconds_per_row * len(chunk)
        found.append(len(chunk))
    return found


def test_slices_grow_to_what_the_time_allows(clock: list[float]) -> None:
    assert sizes(clock, 2000, 5000, 0.0005) == [100, 400, 800, 700]
    assert sizes(clock, 1000, 300, 0.0) == [100, 300, 300, 300]
    assert sizes(clock, 30, 5000, 0.1) == [30]
    assert sizes(clock, 120, 5000, 0.125) == [100, *[3] * 6, 2]
    assert sizes(clock, 102, 5000, 100.0) == [100, 1, 1]


def test_every_row_is_in_one_slice() -> None:
    assert [row for chunk in slices(list(range(1234)), 77) for row in chunk] == list(range(1234))
    assert list(slices([], 77)) == []

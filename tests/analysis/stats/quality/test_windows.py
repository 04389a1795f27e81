"""The 7 and 14 days of the quality report, and clocks that are ahead."""

from __future__ import annotations

from typing import Any

from analysis.stats.quality.records import AnchorRecord, Person, WorkRecord
from analysis.stats.quality.report import quality
from scoring.service import get_protocol

DAY = 86_400_000_000
NOW = 100 * DAY


def work(*days: float) -> list[WorkRecord]:
    """A record for each number of days before now."""
    return [WorkRecord(place, NOW - int(ago * DAY), 30_000, place) for place, ago in enumerate(days)]


def computed(*people: Person, now: int | None = NOW) -> dict[str, Any]:
    return quality(people, get_protocol("anatomy").headline, sample=200, now=now)


def sizes(result: dict[str, Any]) -> dict[str, list[int]]:
    return {days: [line["work"] for line in lines] for days, lines in result["windows"].items()}


def test_windows_end_at_the_latest_submission_of_anybody() -> None:
    ada, bob = Person("ada", work=work(50, 43, 37, 30)), Person("bob", work=work(40))
    for now in (NOW, None):
        found = computed(ada, bob, now=now)
        assert sizes(found) == {"7": [1, 0], "14": [3, 1]}
        assert "ahead" not in found


def test_a_clock_that_was_ahead_empties_nobodys_window() -> None:
    anchors = [AnchorRecord(9, NOW + DAY, 1.0, 1.0)]
    ada = Person("ada", anchors, work=work(40, 38, 36, -400))
    bob = Person("bob", work=work(50, 31, 30))
    found = computed(bob, ada)
    assert sizes(found) == {"7": [2, 1], "14": [2, 3]}
    assert found["ahead"] == [{"annotator": "ada", "count": 2}]

"""What a second stage finds of the first, counted by hand."""

from __future__ import annotations

from typing import Any

import pytest

from analysis.stats.generic.consistency import consistency, grades
from tests.analysis.stats.generic.making import anatomy, as_presence, presence, rows_of, stars

# Images 1 and 2 are judged in both stages, 3 in the first and 4 in the second only.
FIRST = [
    (1, "A", "extra.limbs missing.face"),
    (1, "B", "extra.limbs"),
    (2, "A", "missing.face"),
    (3, "A", "extra.limbs"),
]
SECOND = [
    (1, "A", "extra.limbs:1/4a extra.limbs:2/4c"),
    (1, "C", "extra.limbs:1/4b missing.feet:1/2a"),
    (2, "A", "missing.face:1/1c missing.feet:1/2a"),
    (4, "B", "extra.hands:1/2c"),
]


@pytest.fixture
def tables() -> dict[str, Any]:
    return {"tables": consistency(presence(FIRST), as_presence(SECOND))}


def test_components_are_crossed_over_images_of_both_stages(tables: dict[str, Any]) -> None:
    rows = {row["component"]: row for row in rows_of(tables, "consistency")}
    counts = ("both", "first_only", "second_only", "neither", "kept")
    assert len(rows) == 26
    assert [rows["extra.limbs"][name] for name in counts] == [1, 0, 0, 1, 1.0]
    assert [rows["missing.face"][name] for name in counts] == [1, 1, 0, 0, 0.5]
    assert [rows["missing.feet"][name] for name in counts] == [0, 0, 2, 0, None]
    assert [rows["extra.hands"][name] for name in counts] == [0, 0, 0, 2, None]
    assert [rows["all"][name] for name in counts] == [2, 1, 2, 45, 2 / 3]


def test_a_person_is_beside_themselves_alone(tables: dict[str, Any]) -> None:
    (row,) = rows_of(tables, "consistency_people")
    assert row == {
        "annotator": "A",
        "images": 2,
        "both": 2,
        "first_only": 1,
        "second_only": 1,
        "neither": 46,
        "kept": 2 / 3,
    }


def test_marks_get_the_grades_of_the_second_stage() -> None:
    made = grades(presence(FIRST), anatomy(SECOND))
    assert made is not None
    assert [column["title"] for column in made["columns"]] == [
        "Component",
        "Marked in 1",
        "Not in 2",
        "a",
        "b",
        "c",
    ]
    rows = {row[0]: row[1:] for row in made["rows"]}
    assert rows["extra.limbs"] == [1, 0.0, 1.0, 1.0, 1.0]
    assert rows["missing.face"] == [2, 0.5, 0.0, 0.0, 0.5]
    assert rows["missing.feet"] == [0, None, None, None, None]
    assert rows["All"] == [3, 1 / 3, 1 / 3, 1 / 3, 2 / 3]


def test_a_protocol_that_grades_nothing_has_no_grades() -> None:
    assert grades(presence(FIRST), presence(FIRST)) is None
    assert grades(presence(FIRST), stars([(1, "A", 3)])) is None


def test_nothing_in_common_counts_nothing() -> None:
    made = {"tables": consistency(presence([(1, "A", "extra.limbs")]), presence([(2, "A", "extra.limbs")]))}
    assert rows_of(made, "consistency")[-1]["neither"] == 0
    assert rows_of(made, "consistency_people") == []

"""Agreement of presence beside the worked numbers of two images and two people."""

from __future__ import annotations

from typing import Any

from analysis.protocols.presence.agreement import presence_agreement
from analysis.stats.generic.tables import rows_of
from tests.analysis.stats.generic.making import presence

WORKED = [
    (1, "A", "extra.limbs extra.hands configuration.face"),
    (1, "B", "extra.limbs configuration.hands"),
    (2, "A", "extra.limbs"),
    (2, "B", "extra.limbs orientation.torso"),
]


def table(answers: list[tuple[int, str, str]], name: str) -> list[dict[str, Any]]:
    return rows_of(presence_agreement(presence(answers)), name)


def test_either_and_both() -> None:
    found = {
        row["error_type"]: (row["either"], row["both"], row["share"])
        for row in table(WORKED, "by_error_type")
    }
    assert found == {
        "Missing": (0, 0, None),
        "Extra": (3, 2, 2 / 3),
        "Configuration": (2, 0, 0.0),
        "Orientation": (1, 0, 0.0),
        "Proportion": (0, 0, None),
        "All": (6, 2, 1 / 3),
    }
    parts = {row["body_part"]: (row["either"], row["both"]) for row in table(WORKED, "by_body_part")}
    assert parts == {
        "Torso": (1, 0),
        "Limbs": (2, 2),
        "Feet": (0, 0),
        "Hands": (2, 0),
        "Face": (1, 0),
        "All": (6, 2),
    }


def test_a_type_taken_for_another_is_not_seen_by_one_only() -> None:
    rows = table(WORKED, "type_confusion")
    counted = [
        (row["type"], row["other_type"], row["part hands"], row["total"]) for row in rows if row["total"]
    ]
    assert counted == [("Extra", "Configuration", 1, 1)]
    assert len(rows) == 10
    seen = [
        (row["annotator"], row["error_type"], row["body_part"], row["count"])
        for row in table(WORKED, "seen_by_one")
    ]
    assert seen == [("A", "Configuration", "Face", 1), ("B", "Orientation", "Torso", 1)]


def test_a_marked_cell_is_matched_once_in_the_published_order() -> None:
    answers = [
        (1, "A", "missing.hands extra.hands"),
        (1, "B", "orientation.hands"),
        (2, "A", "missing.hands extra.hands"),
        (2, "B", "configuration.hands orientation.hands"),
    ]
    pairs = {
        (row["type"], row["other_type"]): row["part hands"]
        for row in table(answers, "type_confusion")
        if row["total"]
    }
    assert pairs == {
        ("Missing", "Orientation"): 1,
        ("Missing", "Configuration"): 1,
        ("Extra", "Orientation"): 1,
    }
    (alone,) = table(answers, "seen_by_one")
    assert (alone["annotator"], alone["error_type"], alone["count"]) == ("A", "Extra", 1)

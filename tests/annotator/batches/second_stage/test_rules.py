"""What a draw can be."""

from __future__ import annotations

from typing import Any

import pytest

from annotator.batches.second_stage.drawing import WAYS, Draw


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"way": "sample", "images": 25, "control": 10},
        {"way": "flagged"},
        {"way": "disagreement", "images": 1},
    ],
)
def test_a_draw_comes_back_from_json(how: dict[str, Any]) -> None:
    draw = Draw(7, **how)
    assert draw.problems() == {}
    assert Draw(**draw.as_json()) == draw


@pytest.mark.parametrize(
    ("how", "fields", "named"),
    [
        ({"way": "best"}, ["draw"], "'best'"),
        ({"way": "all", "images": 3}, ["draw_images"], "Leave the number empty"),
        ({"way": "sample"}, ["draw_images"], "number of images"),
        ({"way": "sample", "images": 0}, ["draw_images"], "not 0"),
        ({"control": 101}, ["control"], "101 %"),
        ({"control": -1}, ["control"], "-1 %"),
        ({"way": "sample", "images": -4, "control": 300}, ["draw_images", "control"], "-4"),
    ],
)
def test_what_cannot_be_is_said_by_field(how: dict[str, Any], fields: list[str], named: str) -> None:
    problems = Draw(7, **how).problems()
    assert list(problems) == fields
    assert named in problems[fields[0]][0]


def test_two_ways_look_at_what_was_said() -> None:
    assert [way for way in WAYS if Draw(7, way).targeted] == ["flagged", "disagreement"]

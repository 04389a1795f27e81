"""Images at equal steps of rank."""

from __future__ import annotations

from typing import Any

from analysis.protocols.anatomy.comparison import anatomy_comparison
from analysis.stats.frames import RatedAnnotation
from tests.analysis.stats.conftest import framed, rated


def strip_of(*rows: RatedAnnotation) -> list[dict[str, Any]]:
    (strip,) = anatomy_comparison(framed(*rows))["strips"]
    images: list[dict[str, Any]] = strip["images"]
    return images


def test_equal_steps_of_rank() -> None:
    """Scores 0.1, 0.2, … 1.1 of images 1 to 11 in mixed order, the first judged twice: its mean is 0.2."""
    rows = [rated(k, "ada", {"missing.face": f"{k}/10c"}) for k in range(1, 11)]
    rows += [rated(11, "ada", {"missing.face": "10/10c", "extra.face": "1/10c"})]
    rows += [rated(1, "ben", {"missing.face": "3/10c"})]
    found = strip_of(*rows[::-1])
    assert [(step["image"], round(step["score"], 6)) for step in found] == [
        (1, 0.2),
        (3, 0.3),
        (5, 0.5),
        (7, 0.7),
        (9, 0.9),
        (11, 1.1),
    ]
    assert [step["next"]["image"] for step in found] == [2, 4, 6, 8, 10, 10]


def test_scores_that_differ_by_rounding_alone_are_ties() -> None:
    """(0.1 + 0.1 + 0.1) / 3 is more than 0.1."""
    thirds = [rated(1, who, {"missing.face": "1/10c"}) for who in "abc"]
    assert [step["image"] for step in strip_of(*thirds, rated(2, "a", {"missing.face": "1/10c"}))] == [1, 2]


def test_fewer_images_than_steps() -> None:
    assert strip_of(rated(1, "ada", {})) == [{"image": 1, "score": 0.0, "next": None}]

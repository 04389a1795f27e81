"""Images at equal steps of rank."""

from __future__ import annotations

from analysis.protocols.anatomy.comparison import anatomy_comparison as comparison
from analysis.stats.frames import RatingsFrame
from analysis.stats.generic.tables import Json
from tests.analysis.stats.conftest import framed, rated


def eleven() -> RatingsFrame:
    """Scores 0.1, 0.2, … 1.1 of images 1 to 11 in mixed order, the first judged twice."""
    rows = [rated(k, "ada", {"missing.face": f"{k}/10c"}) for k in range(1, 11)]
    rows += [rated(11, "ada", {"missing.face": "10/10c", "extra.face": "1/10c"})]
    rows += [rated(1, "ben", {"missing.face": "3/10c"})]
    return framed(*rows[::-1])


def strips(frame: RatingsFrame) -> list[Json]:
    found: list[Json] = comparison(frame)["strips"]
    return found


def test_equal_steps_of_rank() -> None:
    (strip,) = strips(eleven())
    # The first image's mean is 0.2, like that of the second.
    assert [(step["image"], round(step["score"], 6)) for step in strip["images"]] == [
        (1, 0.2),
        (3, 0.3),
        (5, 0.5),
        (7, 0.7),
        (9, 0.9),
        (11, 1.1),
    ]
    assert [step["next"]["image"] for step in strip["images"]] == [2, 4, 6, 8, 10, 10]


def test_fewer_images_than_steps() -> None:
    (strip,) = strips(framed(rated(1, "ada", {})))
    assert strip["images"] == [{"image": 1, "score": 0.0, "next": None}]

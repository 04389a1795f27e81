"""From ratings to columns of numbers."""

from __future__ import annotations

import pytest

from analysis.stats.building import RatedAnnotation
from analysis.stats.generic.values import build_values
from scoring.presence.protocol import PRESENCE
from tests.analysis.stats.generic.making import presence, stars


def row(*ratings: list[str], image: int = 7, annotator: str = "B") -> RatedAnnotation:
    return RatedAnnotation(image, annotator, "alpha", "hugging", "pair", "pilot", ratings)


def test_a_row_for_each_answer_in_the_order_of_images_and_annotators() -> None:
    frame = presence([(2, "B", "extra.hands"), (1, "B", ""), (1, "A", "missing.torso extra.hands")])
    assert frame.annotations[["image", "annotator"]].to_numpy().tolist() == [[1, "A"], [1, "B"], [2, "B"]]
    assert frame.headline.tolist() == [2, 0, 1]
    cells = frame.values["presence"]
    assert cells.shape == (3, 25)
    assert [[int(place) for place in marked.nonzero()[0]] for marked in cells] == [[0, 8], [], [8]]


def test_one_value_an_image() -> None:
    assert stars([(1, "A", 5), (2, "A", 1)]).headline.tolist() == [5, 1]


def test_no_answers() -> None:
    assert len(presence([])) == 0


@pytest.mark.parametrize(
    ("ratings", "message"),
    [
        ([["cells_marked", "", "1"], ["beauty", "", "1"]], "has no variable 'beauty' of ''"),
        (
            [["cells_marked", "", "1"], ["presence", "extra.ears", "1"]],
            "variable 'presence' of 'extra.ears'",
        ),
        ([["presence", "extra.hands", "1"]], "no value of 'cells_marked'"),
    ],
)
def test_what_the_protocol_does_not_know_is_refused_by_name(ratings: list[list[str]], message: str) -> None:
    with pytest.raises(ValueError, match=r"^image 7 by B: ") as refused:
        build_values([row(*ratings)], PRESENCE)
    assert message in str(refused.value)


def test_an_image_that_one_person_judged_twice_is_refused() -> None:
    twice = row(["cells_marked", "", "0"])
    with pytest.raises(ValueError, match=r"^image 7 by B occurs twice$"):
        build_values([twice, twice], PRESENCE)

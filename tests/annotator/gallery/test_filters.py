"""Filters of the gallery and small grids."""

from __future__ import annotations

import pytest

from annotator.annotations.summary_values import mask_of
from annotator.gallery.filters import GalleryFilter, read_filter
from annotator.gallery.small_grids import SmallCell, small_grid
from scoring.anatomy.protocol import ANATOMY
from scoring.protocol import Protocol


def read(**given: str | list[str]) -> GalleryFilter:
    lists = {name: [value] if isinstance(value, str) else value for name, value in given.items()}
    found, problems = read_filter(lists, ANATOMY)
    assert problems == []
    return found


def refused(
    given: dict[str, str | list[str]], protocol: Protocol = ANATOMY, *, counts_people: bool = True
) -> list[str]:
    lists = {name: [value] if isinstance(value, str) else value for name, value in given.items()}
    found, problems = read_filter(lists, protocol, counts_people=counts_people)
    assert not found.values.keys() & set(given)
    assert all("without this filter" in problem.text for problem in problems)
    return [problem.code for problem in problems]


def test_empty_values_are_no_filter() -> None:
    assert not read(generator="", prompt=" ", severity="")
    assert read().heading() == ""


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"cell": "missing.tail"}, "bad-cell"),
        ({"type": "wrong"}, "bad-type"),
        ({"part": "hand"}, "bad-part"),
        ({"severity": "d"}, "bad-severity"),
        ({"severity": ["a", "b"]}, "bad-severity"),
        ({"score_min": "much"}, "bad-score_min"),
        ({"score_max": "nan"}, "bad-score_max"),
        ({"score_min": "2", "score_max": "1"}, "bad-score_max"),
        ({"flagged": "yes"}, "bad-flagged"),
        ({"prompt": "a\0b"}, "bad-prompt"),
        ({"q": "x" * 401}, "bad-q"),
        ({"generator": [f"g{n}" for n in range(7)]}, "bad-generator"),
        ({"attribute": "gender"}, "bad-attribute"),
        ({"attribute": ["a=b", "=b"]}, "bad-attribute"),
        ({"people": "3"}, "bad-people"),
    ],
)
def test_values_that_no_filter_has(given: dict[str, str | list[str]], code: str) -> None:
    assert refused(given) == [code]


def test_masks() -> None:
    assert read(generator="x").mask is None
    assert read(cell="missing.torso").mask == mask_of(["missing.torso"])
    assert read(type="extra").mask == 0b11111 << 5
    assert read(part="face").mask == sum(1 << place for place in (4, 9, 14, 19, 24))
    assert read(type="extra", part="face").mask == mask_of(["extra.face"])
    assert read(cell="missing.torso", type="extra").mask == 0
    assert (read(severity="c").mask, read(severity="c").marked_field) == (2**25 - 1, "severe")


def test_scores() -> None:
    assert read(score_min="1.5").scores == (1.5, None)
    assert read(score_min="1", score_max="2").scores == (1.0, 2.0)
    # Halves are rounded up or down: 3.125 is shown as 3.12, and 1.575 as 1.57.
    for shown, score in (("1.93", 1.925), ("1.93", 1.9349), ("3.12", 3.125), ("1.57", 1.575)):
        low, high = read(score_min=shown, score_max=shown).scores
        assert low is not None
        assert high is not None
        assert low <= score < high
        assert high - low == pytest.approx(0.01)
    assert "of" not in read(of="annotation").values


def test_words() -> None:
    found = read(
        generator=["A", "B"],
        cell="configuration.hands",
        severity="c",
        annotator=["ann1", "ann2"],
        score_min="1",
        score_max="2",
        of="annotation",
        flagged="1",
    )
    assert [(chip.title, chip.value) for chip in found.chips()] == [
        ("Generator", "A or B"),
        ("Cell", "Configuration · Hands"),
        ("Severity", "c severe"),
        ("Annotator", "ann1 and ann2"),
        ("Score of an annotation", "1 to below 2"),
        ("Flagged", "yes"),
    ]
    assert found.heading() == "Configuration · Hands, severe"
    assert read(generator="A", flagged="1").heading() == "A, flagged"
    assert read(score_min="1").heading() == "score from 1"
    assert found.chips()[4].rest.values.keys() == found.values.keys() - {"score_min", "score_max", "of"}
    assert found.code == ""
    assert read(annotator="ann1").code == "ann1"


def test_a_cell_shows_its_worst_mark_in_its_row_and_column() -> None:
    marked = {
        "marked": mask_of(["missing.torso", "extra.hands", "proportion.face"]),
        "mild": mask_of(["missing.torso", "extra.hands"]),
        "moderate": mask_of(["extra.hands"]),
        "severe": 0,
    }
    assert small_grid(marked) == [
        SmallCell(0, 0, "mild"),
        SmallCell(6, 18, "moderate"),
        SmallCell(24, 24, ""),
    ]

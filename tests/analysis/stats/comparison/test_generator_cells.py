"""Sums over the 25 cells by generator, and whether the body part with the most errors is clear."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from analysis.stats.comparison.generator_cells import generator_cells

from analysis.stats.comparison import generator_cells as module
from analysis.stats.frames import RatedAnnotation, RatingsFrame
from analysis.stats.images import image_table
from scoring.grid.taxonomy import CELLS
from tests.analysis.stats.conftest import framed, rated

PLACES = {cell.key: place for place, cell in enumerate(CELLS)}


def cells_of(*rows: RatedAnnotation) -> dict[str, dict[str, Any]]:
    found = generator_cells(image_table(framed(*rows)))
    assert found["generators_left_out"] == 0
    return {row["generator"]: row for row in found["generators"]}


def test_sums_and_counts() -> None:
    found = cells_of(
        rated(1, "ada", {"missing.hands": "1/4a,1/2c", "extra.hands": "1/3b"}, generator="x"),
        rated(2, "ada", {"missing.hands": "1/4a"}, generator="x"),
        rated(3, "ada", {}, generator="y"),
    )
    x, place = found["x"], PLACES["missing.hands"]
    assert x["annotations"] == 2
    assert x["sums"][place] == [0.5, 0, 0.5]
    assert x["marked"][place] == [2, 1]
    assert x["sums"][PLACES["extra.hands"]] == [0, pytest.approx(1 / 3), 0]
    assert x["marked_parts"] == [[0, 0], [0, 0], [0, 0], [2, 1], [0, 0]]
    assert np.sum(x["pins"]) == 0
    assert found["y"]["most"] == [{"part": None, "p": None}] * 2
    assert np.sum(found["y"]["sums"]) == 0


def test_pins_are_counted_by_cell_and_severity() -> None:
    mark = {"type": "extra", "part": "feet", "affected": 2, "total": 2}
    pins = [{"x": 0.1, "y": 0.2}, {"x": 0.3, "y": 0.4}]
    answer = RatedAnnotation(1, "ada", "x", "p", "pair", "batch 1", [("cumulative_score", "", "6/5")])
    marks = [{**mark, "severity": "a", "pins": pins}, {**mark, "severity": "c", "pins": pins[:1]}]
    found = cells_of(answer._replace(marks=marks))["x"]
    assert found["pins"][PLACES["extra.feet"]] == [2, 0, 1]
    assert np.sum(found["pins"]) == 3


def test_pins_follow_their_rows() -> None:
    """A frame sorts its rows and can be narrowed: pins stay with their marks."""
    mark = {"type": "extra", "part": "feet", "severity": "a", "affected": 1, "total": 2}
    score = [("cumulative_score", "", "1/10")]
    rows = [
        RatedAnnotation(image, "ada", f"g{image}", "p", "pair", "b", score)._replace(
            marks=[{**mark, "pins": [{"x": 0, "y": 0}] * (image == 2)}]
        )
        for image in (3, 2, 1)
    ]
    frame = framed(*rows)
    assert frame.marks.pins.tolist() == [0, 1, 0]
    assert frame.only(np.array([False, True, True])).marks.pins.tolist() == [1, 0]


@pytest.mark.study
def test_the_published_study_is_that_of_r(study_frame: RatingsFrame) -> None:
    """R 4.2.2: colMeans of the weighted parts, and the largest p of t.test(hands, other, paired = TRUE)."""
    found = generator_cells(image_table(study_frame))["generators"]
    means, largest = {}, {}
    for row in found:
        weighted = np.array(row["sums"]) @ study_frame.weights / row["annotations"]
        means[row["generator"]] = weighted.reshape(5, 5).sum(axis=0)
        largest[row["generator"]] = row["most"]
        assert row["annotations"] == 100
    expected = {
        "dall-e3": [0.0872548, 0.1487724, 0.1178757, 0.2737023, 0.1923667],
        "sdxl": [0.297786, 0.438602, 0.249024, 0.724523, 0.356667],
        "stablecascade": [0.153674, 0.322358, 0.217624, 0.670580, 0.436583],
    }
    for name, parts in expected.items():
        assert means[name] == pytest.approx(parts, abs=5e-7)
    assert {kind["part"] for both in largest.values() for kind in both} == {"hands"}
    tests = {name: [kind["p"] for kind in both] for name, both in largest.items()}
    assert tests["sdxl"] == pytest.approx([1.670784991e-05, 0.0007807335928], rel=1e-8)
    assert tests["stablecascade"] == pytest.approx([0.0001109580197, 0.02585935735], rel=1e-8)
    # Of severe errors the face has more over images, so hands do not lead.
    assert tests["dall-e3"] == pytest.approx([0.1175717478, 1], rel=1e-8)


def test_what_cannot_be_tested() -> None:
    one = cells_of(rated(1, "ada", {"missing.hands": "1/2c"}))["g"]
    assert one["most"] == [{"part": "hands", "p": None}] * 2
    same = cells_of(*(rated(image, "ada", {"missing.hands": "1/2c"}) for image in (1, 2, 3)))["g"]
    assert same["most"] == [{"part": "hands", "p": None}] * 2


def test_doubles_are_one_image_in_the_test() -> None:
    rows = [
        rated(image, person, {"missing.hands": f"{1 + image % 3}/4c", "extra.face": "1/9a"})
        for image in range(6)
        for person in ("ada", "bo")
    ]
    single = [row for row in rows if row.annotator == "ada"]
    assert cells_of(*rows)["g"]["most"] == cells_of(*single)["g"]["most"]


def test_the_list_of_generators_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LISTED", 2)
    rows = [rated(image, "ada", {}, generator="abc"[image % 3]) for image in range(5)]
    found = generator_cells(image_table(framed(*rows)))
    assert [row["generator"] for row in found["generators"]] == ["a", "b"]
    assert found["generators_left_out"] == 1


def test_nothing_at_all() -> None:
    assert generator_cells(image_table(framed())) == {"generators": [], "generators_left_out": 0}

"""Sums over the 25 cells by generator, and whether the body part with the most errors is clear."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from analysis.protocols.anatomy import cells as module
from analysis.protocols.anatomy.comparison import anatomy_comparison as comparison
from analysis.stats.frames import RatedAnnotation, RatingsFrame
from analysis.stats.images import image_table
from scoring.grid.taxonomy import BODY_PARTS, CELLS
from tests.analysis.stats.conftest import framed, rated
from tests.analysis.stats.generic.making import rows_of


def cells_of(*rows: RatedAnnotation) -> dict[tuple[str, str], list[Any]]:
    """By generator and cell: fractions of a, b, c; annotations that mark it, with c; pins of a, b, c."""
    found = rows_of(comparison(framed(*rows)), "cells")
    return {(row["generator"], row["cell"]): list(row.values())[2:] for row in found}


def parts_of(frame: RatingsFrame) -> dict[tuple[str, str], list[Any]]:
    """By generator and body part: annotations that mark it, with c; p, and that of severe errors alone."""
    found = rows_of(comparison(frame), "generator_parts")
    return {(row["generator"], row["body_part"]): list(row.values())[2:] for row in found}


def test_sums_and_counts() -> None:
    rows = [
        rated(1, "ada", {"missing.hands": "1/4a,1/2c", "extra.hands": "1/3b"}, generator="x"),
        rated(2, "ada", {"missing.hands": "1/4a"}, generator="x"),
        rated(3, "ada", {}, generator="y"),
    ]
    assert cells_of(*rows) == {
        ("x", "missing.hands"): [0.5, 0, 0.5, 2, 1, 0, 0, 0],
        ("x", "extra.hands"): [0, pytest.approx(1 / 3), 0, 1, 0, 0, 0, 0],
    }
    parts = parts_of(framed(*rows))
    assert [parts["x", name][:2] for name in BODY_PARTS] == [[0, 0], [0, 0], [0, 0], [2, 1], [0, 0]]
    assert [parts["y", name] for name in BODY_PARTS] == [[0, 0, None, None]] * 5


def test_pins_are_counted_by_cell_and_severity() -> None:
    mark = {"type": "extra", "part": "feet", "affected": 2, "total": 2}
    pins = [{"x": 0.1, "y": 0.2}, {"x": 0.3, "y": 0.4}]
    answer = RatedAnnotation(1, "ada", "x", "p", "pair", "batch 1", [("cumulative_score", "", "6/5")])
    marks = [{**mark, "severity": "a", "pins": pins}, {**mark, "severity": "c", "pins": pins[:1]}]
    assert cells_of(answer._replace(marks=marks))["x", "extra.feet"][-3:] == [2, 0, 1]


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


def test_the_published_study_is_that_of_r(study_frame: RatingsFrame) -> None:
    """R 4.2.2: colMeans of the weighted parts, and the largest p of t.test(hands, other, paired = TRUE)."""
    expected = {
        "dall-e3": [0.0872548, 0.1487724, 0.1178757, 0.2737023, 0.1923667],
        "sdxl": [0.297786, 0.438602, 0.249024, 0.724523, 0.356667],
        "stablecascade": [0.153674, 0.322358, 0.217624, 0.670580, 0.436583],
    }
    result = comparison(study_frame)
    place = {cell.key: BODY_PARTS.index(cell.body_part) for cell in CELLS}
    means = {name: np.zeros(5) for name in expected}
    for row in rows_of(result, "cells"):
        fractions = np.array([row["a"], row["b"], row["c"]])
        means[row["generator"]][place[row["cell"]]] += fractions @ study_frame.weights / 100
    for name, weighted in expected.items():
        assert means[name] == pytest.approx(weighted, abs=5e-7)
    parts = parts_of(study_frame)
    images = image_table(study_frame)
    own = images.parts[images.codes("generator") == 0, :, 2]
    severe = stats.ttest_rel(own[:, BODY_PARTS.index("face")], own[:, BODY_PARTS.index("hands")])
    tests = {key: values[2:] for key, values in parts.items() if any(p is not None for p in values[2:])}
    assert tests == {
        ("sdxl", "hands"): pytest.approx([1.670784991e-05, 0.0007807335928], rel=1e-8),
        ("stablecascade", "hands"): pytest.approx([0.0001109580197, 0.02585935735], rel=1e-8),
        ("dall-e3", "hands"): [pytest.approx(0.1175717478, rel=1e-8), None],
        # Of severe errors the face has a little more than hands.
        ("dall-e3", "face"): [None, pytest.approx(severe.pvalue, rel=1e-8)],
    }


def test_what_cannot_be_tested() -> None:
    one = parts_of(framed(rated(1, "ada", {"missing.hands": "1/2c"})))
    same = parts_of(framed(*(rated(image, "ada", {"missing.hands": "1/2c"}) for image in (1, 2, 3))))
    assert (one["g", "hands"], same["g", "hands"]) == ([1, 1, None, None], [3, 3, None, None])


def test_doubles_are_one_image_in_the_test() -> None:
    rows = [
        rated(image, person, {"missing.hands": f"{1 + image % 3}/4c", "extra.face": "1/9a"})
        for image in range(6)
        for person in ("ada", "bo")
    ]
    single = [row for row in rows if row.annotator == "ada"]
    both, once = (parts_of(framed(*made))["g", "hands"][2:] for made in (rows, single))
    assert both == pytest.approx(once)
    assert both[0] < 0.05


def test_the_list_of_generators_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LISTED", 2)
    rows = [rated(image, "ada", {"missing.hands": "1/2c"}, generator="abc"[image % 3]) for image in range(5)]
    result = comparison(framed(*rows))
    assert [row["generator"] for row in rows_of(result, "cells")] == ["a", "b"]
    words = next(table["words"] for table in result["tables"] if table["name"] == "cells")
    assert words.endswith("1 generators with fewer annotations are not listed.")

"""Sums over the 25 cells by generator, and whether the body part with the most errors is clear."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from analysis.protocols.anatomy import cells
from analysis.protocols.anatomy.comparison import anatomy_comparison
from analysis.stats.frames import RatedAnnotation, RatingsFrame
from scoring.grid.taxonomy import BODY_PARTS
from tests.analysis.stats.conftest import framed, rated
from tests.analysis.stats.generic.making import rows_of


def parts_of(*rows: RatedAnnotation) -> dict[tuple[str, str], list[Any]]:
    """By generator and body part: annotations that mark it, with c, p and p of c alone."""
    found = rows_of(anatomy_comparison(framed(*rows)), "generator_parts")
    return {(row["generator"], row["body_part"]): list(row.values())[2:] for row in found}


def test_sums_and_counts() -> None:
    rows = [
        rated(1, "ada", {"missing.hands": "1/4a,1/2c", "extra.hands": "1/3b"}, generator="x"),
        rated(2, "ada", {"missing.hands": "1/4a"}, generator="x"),
        rated(3, "ada", {}, generator="y"),
    ]
    found = rows_of(anatomy_comparison(framed(*rows)), "cells")
    assert [list(row.values()) for row in found] == [
        ["x", "missing.hands", 0.5, 0, 0.5, 2, 1, 0, 0, 0],
        ["x", "extra.hands", 0, pytest.approx(1 / 3), 0, 1, 0, 0, 0, 0],
    ]
    parts = parts_of(*rows)
    assert parts["x", "hands"][:2] == [2, 1]
    assert parts["x", "face"] == [0, 0, None, None]
    assert [parts["y", part] for part in BODY_PARTS] == [[0, 0, None, None]] * 5


def test_pins_are_counted_by_cell_and_severity() -> None:
    mark = {"type": "extra", "part": "feet", "affected": 2, "total": 2}
    pins = [{"x": 0.1, "y": 0.2}, {"x": 0.3, "y": 0.4}]
    answer = RatedAnnotation(1, "ada", "x", "p", "pair", "batch 1", [("cumulative_score", "", "6/5")])
    marks = [{**mark, "severity": "a", "pins": pins}, {**mark, "severity": "c", "pins": pins[:1]}]
    (row,) = rows_of(anatomy_comparison(framed(answer._replace(marks=marks))), "cells")
    assert [row[f"pins_{severity}"] for severity in "abc"] == [2, 0, 1]


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
    """R 4.2.2: the largest p of t.test(hands, other, paired = TRUE), of all severities and of c alone."""
    found = rows_of(anatomy_comparison(study_frame), "generator_parts")
    tests = {row["generator"]: [row["p"], row["p_c"]] for row in found if row["p"] is not None}
    assert {row["body_part"] for row in found if row["p"] is not None} == {"hands"}
    assert tests["sdxl"] == pytest.approx([1.670784991e-05, 0.0007807335928], rel=1e-8)
    assert tests["stablecascade"] == pytest.approx([0.0001109580197, 0.02585935735], rel=1e-8)
    # Of severe errors of dall-e3, the face has the most over images.
    assert tests["dall-e3"][0] == pytest.approx(0.1175717478, rel=1e-8)


def test_what_cannot_be_tested() -> None:
    assert parts_of(rated(1, "ada", {"missing.hands": "1/2c"}))["g", "hands"] == [1, 1, None, None]
    same = [rated(image, "ada", {"missing.hands": "1/2c"}) for image in (1, 2, 3)]
    assert parts_of(*same)["g", "hands"] == [3, 3, None, None]


def test_doubles_are_one_image_in_the_test() -> None:
    rows = [
        rated(image, person, {"missing.hands": f"{1 + image % 3}/4c", "extra.face": "1/9a"})
        for image in range(6)
        for person in ("ada", "bo")
    ]
    single = [row for row in rows if row.annotator == "ada"]
    both, once = parts_of(*rows)["g", "hands"], parts_of(*single)["g", "hands"]
    assert (both[:2], once[:2]) == ([12, 12], [6, 6])
    assert both[2:] == once[2:]
    assert None not in both


def test_the_list_of_generators_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cells, "LISTED", 2)
    rows = [rated(image, "ada", {"extra.face": "1/2c"}, generator="abc"[image % 3]) for image in range(5)]
    result = anatomy_comparison(framed(*rows))
    assert {row["generator"] for row in rows_of(result, "cells")} == {"a", "b"}
    (words,) = (table["words"] for table in result["tables"] if table["name"] == "cells")
    assert words.endswith("1 generators with fewer annotations are not listed.")

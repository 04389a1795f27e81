"""The 25 cells: sums by generator, the ladder of two annotators, and agreement on parts of the grid."""

from __future__ import annotations

from typing import Any

import krippendorff
import numpy as np
import pytest
from scipy import stats

from analysis.protocols.anatomy.agreement import MARKED
from analysis.protocols.anatomy.cells import fractions_by
from analysis.protocols.anatomy.comparison import anatomy_comparison as comparison
from analysis.protocols.anatomy.ladder import RUNGS, ladder_table
from analysis.protocols.grid_agreement import grid_tables
from analysis.stats.frames import RatedAnnotation, RatingsFrame
from analysis.stats.generic.tables import rows_of
from analysis.stats.pairs import shared_images
from scoring.grid.taxonomy import BODY_PART_TITLES, BODY_PARTS, CELLS, ERROR_TYPE_TITLES, ERROR_TYPES
from tests.analysis.protocols.anatomy.test_agreement import random_frame, wide
from tests.analysis.stats.conftest import framed, rated


def cells_of(*rows: RatedAnnotation) -> dict[tuple[str, str], list[Any]]:
    """By generator and cell: fractions of a, b, c; annotations that mark it, with c; pins of a, b, c."""
    found = rows_of(comparison(framed(*rows)), "cells")
    return {(row["generator"], row["cell"]): list(row.values())[2:] for row in found}


def parts_of(result: dict[str, Any]) -> dict[tuple[str, str], list[Any]]:
    """By generator and body part: annotations that mark it, with c; p, and that of severe errors alone."""
    found = rows_of(result, "generator_parts")
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
    parts = parts_of(comparison(framed(*rows)))
    assert [parts["x", name][:2] for name in BODY_PARTS] == [[0, 0], [0, 0], [0, 0], [2, 1], [0, 0]]
    assert [parts["y", name] for name in BODY_PARTS] == [[0, 0, None, None]] * 5


def test_the_published_study_is_that_of_r(
    study_frame: RatingsFrame, study_comparison: dict[str, Any]
) -> None:
    """R 4.2.2: colMeans of the weighted parts, and the largest p of t.test(hands, other, paired = TRUE)."""
    expected = {
        "dall-e3": [0.0872548, 0.1487724, 0.1178757, 0.2737023, 0.1923667],
        "sdxl": [0.297786, 0.438602, 0.249024, 0.724523, 0.356667],
        "stablecascade": [0.153674, 0.322358, 0.217624, 0.670580, 0.436583],
    }
    place = {cell.key: BODY_PARTS.index(cell.body_part) for cell in CELLS}
    means = {name: np.zeros(5) for name in expected}
    for row in rows_of(study_comparison, "cells"):
        fractions = np.array([row["a"], row["b"], row["c"]])
        means[row["generator"]][place[row["cell"]]] += fractions @ study_frame.weights / 100
    for name, weighted in expected.items():
        assert means[name] == pytest.approx(weighted, abs=5e-7)
    parts = parts_of(study_comparison)
    _, first = np.unique(study_frame.image_codes, return_index=True)
    own = fractions_by("part", study_frame)[study_frame.codes("generator")[first] == 0, :, 2]
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
    answers = [rated(image, "ada", {"missing.hands": "1/2c"}) for image in (1, 2, 3)]
    one, same = (parts_of(comparison(framed(*rows))) for rows in (answers[:1], answers))
    assert (one["g", "hands"], same["g", "hands"]) == ([1, 1, None, None], [3, 3, None, None])


def test_doubles_are_one_image_in_the_test() -> None:
    rows = [
        rated(image, person, {"missing.hands": f"{1 + image % 3}/4c", "extra.face": "1/9a"})
        for image in range(6)
        for person in ("ada", "bo")
    ]
    single = [row for row in rows if row.annotator == "ada"]
    both, once = (parts_of(comparison(framed(*made)))["g", "hands"][2:] for made in (rows, single))
    assert both == pytest.approx(once)
    assert both[0] < 0.05


# What two annotators say of one cell, and the rung on which they part.
SAID = [
    ("1/4a", "", "either"),
    ("1/4a", "2/4a", "both"),
    ("1/4a", "1/5a", "same_affected"),
    ("1/4a", "1/4b", "same_total"),
    ("1/4a", "1/4a", "same_severity"),
    ("1/4a,1/4b", "2/4c", "same_total"),
    # The same parts and the same severities, given the other way round.
    ("1/9b,2/9c", "2/9b,1/9c", "same_total"),
    ("1/4a,2/4b", "2/4b,1/4a", "same_severity"),
]


def study(images: int) -> RatingsFrame:
    """Every image holds all of the cells above, each in a cell of its own."""
    missing = [f"missing.{part}" for part in ("torso", "limbs", "feet", "hands")]
    places = [*missing, "extra.face", "extra.limbs", "extra.torso", "proportion.face"]
    answers = [
        {place: texts[side] for place, texts in zip(places, SAID, strict=True) if texts[side]}
        for side in (0, 1)
    ]
    return framed(*(rated(i, "AB"[side], answers[side]) for i in range(images) for side in (0, 1)))


def found(frame: RatingsFrame) -> dict[str, dict[str, Any]]:
    """The rows of the ladder by part of the grid."""
    result = {"tables": [ladder_table(frame, shared_images(frame))]}
    return {row["part"]: row for row in rows_of(result, "ladder")}


def test_each_rung_counts_what_stood_on_the_one_before() -> None:
    overall = found(study(6))["All cells"]
    assert overall["either"] == 8 * 6
    shares = [overall[rung]["value"] for rung in RUNGS]
    assert shares == pytest.approx([7 / 8, 6 / 8, 5 / 8, 2 / 8])


def test_by_error_type_and_part() -> None:
    rows = found(study(6))
    by_type = {"Missing": 4, "Extra": 3, "Configuration": 0, "Orientation": 0, "Proportion": 1}
    by_part = {"Torso": 2, "Limbs": 2, "Feet": 1, "Hands": 1, "Face": 2}
    counts = {name: row["either"] // 6 for name, row in rows.items()}
    assert counts == {"All cells": 8, **by_type, **by_part}
    configuration = rows["Configuration"]["both"]
    assert (configuration["value"], configuration["refused"]) == (None, "no cell was marked")


def test_three_annotators_are_three_comparisons() -> None:
    frame = framed(*(rated(i, name, {"missing.face": "1/1c"}) for i in range(5) for name in "ABC"))
    overall = found(frame)["All cells"]
    assert overall["either"] == 15
    last = overall["same_severity"]
    assert (last["value"], last["n_units"], last["n_coders"]) == (1.0, 5, 3)


def test_the_published_study(study_frame: RatingsFrame) -> None:
    overall = found(study_frame)["All cells"]
    assert overall["either"] == 436
    assert [round(436 * overall[rung]["value"]) for rung in RUNGS] == [170, 75, 49, 19]
    table = ladder_table(study_frame, shared_images(study_frame))
    assert table["line"] == "Both marked 39%, equal in all 4%"


def library(frame: RatingsFrame, members: list[int]) -> float:
    cells = wide(frame, frame.cells[:, members].astype(np.float64))
    found = krippendorff.alpha(cells.reshape(len(cells), -1), level_of_measurement="nominal")
    return float(found)


def test_parts_equal_the_library() -> None:
    frame = random_frame(0, images=80)
    result = {"tables": grid_tables(frame, frame.cells, MARKED, shared_images(frame))}
    for name, titles in (("error_type", ERROR_TYPE_TITLES), ("body_part", BODY_PART_TITLES)):
        *rows, everything = rows_of(result, f"by_{name}")
        assert [row[name] for row in rows] == [*titles.values()]
        for row, slug in zip(rows, titles, strict=True):
            members = [place for place, cell in enumerate(CELLS) if getattr(cell, name) == slug]
            assert row["alpha"]["value"] == pytest.approx(library(frame, members), abs=1e-12)
        assert everything["alpha"]["value"] == pytest.approx(library(frame, [*range(25)]), abs=1e-12)
    for part, row in zip(BODY_PARTS, rows_of(result, "by_cell"), strict=True):
        for kind in ERROR_TYPES:
            members = [place for place, cell in enumerate(CELLS) if cell.key == f"{kind}.{part}"]
            assert row[kind]["value"] == pytest.approx(library(frame, members), abs=1e-12)

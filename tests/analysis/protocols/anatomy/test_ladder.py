"""The ladder on a study small enough to count by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from analysis.protocols.anatomy.ladder import RUNGS, cell_annotations, ladder_table
from analysis.stats.frames import RatingsFrame
from analysis.stats.generic.tables import rows_of
from analysis.stats.pairs import shared_images
from scoring.grid.taxonomy import CELLS as CELLS_OF_THE_GRID
from tests.analysis.stats.conftest import framed, rated

# What two annotators say of one cell, and the rung on which they part.
CELLS = [
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
        {place: texts[side] for place, texts in zip(places, CELLS, strict=True) if texts[side]}
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
    assert {name: row["either"] // 6 for name, row in rows.items()} == {
        "All cells": 8,
        "Missing": 4,
        "Extra": 3,
        "Configuration": 0,
        "Orientation": 0,
        "Proportion": 1,
        "Torso": 2,
        "Limbs": 2,
        "Feet": 1,
        "Hands": 1,
        "Face": 2,
    }
    configuration = rows["Configuration"]["both"]
    assert (configuration["value"], configuration["refused"]) == (None, "no cell was marked")


def test_three_annotators_are_three_comparisons() -> None:
    frame = framed(*(rated(i, name, {"missing.face": "1/1c"}) for i in range(5) for name in "ABC"))
    overall = found(frame)["All cells"]
    assert overall["either"] == 15
    last = overall["same_severity"]
    assert (last["value"], last["n_units"], last["n_coders"]) == (1.0, 5, 3)


def test_without_marks_there_is_no_ladder() -> None:
    assert found(framed(*(rated(i, name, {}) for i in range(9) for name in "AB"))) == {}


def test_what_a_cell_holds() -> None:
    frame = framed(rated(1, "A", {"missing.torso": "1/4a,2/6c"}), rated(2, "A", {"missing.torso": "1/3b"}))
    cells = cell_annotations(frame, np.array([0]))
    terms = cells.terms[0, 0]
    assert (cells.affected[terms], cells.total[terms]) == (3, 6)
    assert cells.terms.ravel()[1:].tolist() == [0] * 49


@pytest.mark.parametrize("seed", range(5))
def test_answers_are_the_same_exactly_where_all_terms_are(seed: int) -> None:
    rng = np.random.default_rng(seed)
    texts = [
        {
            CELLS_OF_THE_GRID[place].key: ",".join(
                f"{rng.integers(1, 4)}/{rng.integers(4, 7)}{severity}"
                for severity in "abc"
                if rng.random() < 0.5
            )
            for place in rng.permutation(25)[:10]
        }
        for _ in range(40)
    ]
    frame = framed(*(rated(k, "A", cells) for k, cells in enumerate(texts)))
    terms = cell_annotations(frame, np.arange(len(frame))).terms
    by_text: dict[str, set[int]] = {}
    for row, cells in enumerate(texts):
        for place, cell in enumerate(CELLS_OF_THE_GRID):
            by_text.setdefault(cells.get(cell.key, ""), set()).add(int(terms[row, place]))
    assert by_text[""] == {0}
    assert all(len(ids) == 1 for ids in by_text.values())
    assert len(set.union(*by_text.values())) == len(by_text)


def test_the_published_study(study_frame: RatingsFrame) -> None:
    overall = found(study_frame)["All cells"]
    assert overall["either"] == 436
    assert [round(436 * overall[rung]["value"]) for rung in RUNGS] == [170, 75, 49, 19]
    table = ladder_table(study_frame, shared_images(study_frame))
    assert table["line"] == "Both marked 39%, equal in all 4%"

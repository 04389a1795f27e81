"""The ladder on a study small enough to count by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from analysis.stats.agreement.ladder import cell_annotations, ladder
from analysis.stats.frames import RatingsFrame
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


def found(frame: RatingsFrame) -> dict[str, Any]:
    return ladder(frame, shared_images(frame))


def test_each_rung_counts_what_stood_on_the_one_before() -> None:
    (overall,) = found(study(6))["overall"]
    assert overall["either"] == 8 * 6
    assert overall["counts"] == {
        "both": 7 * 6,
        "same_affected": 6 * 6,
        "same_total": 5 * 6,
        "same_severity": 2 * 6,
    }
    assert overall["alone_counts"] == {"same_affected": 36, "same_total": 36, "same_severity": 30}
    assert overall["shares"]["both"]["value"] == pytest.approx(7 / 8)
    assert overall["alone_shares"]["same_severity"]["value"] == pytest.approx(5 / 7)


def test_by_error_type_and_part() -> None:
    report = found(study(6))
    types = {row["name"]: row["either"] // 6 for row in report["error_type"]}
    assert types == {"missing": 4, "extra": 3, "configuration": 0, "orientation": 0, "proportion": 1}
    parts = {row["name"]: row["either"] // 6 for row in report["body_part"]}
    assert parts == {"torso": 2, "limbs": 2, "feet": 1, "hands": 1, "face": 2}
    assert sum(row["either"] for row in report["cell"]) == 48
    configuration = report["error_type"][2]["shares"]["both"]
    assert (configuration["value"], configuration["refused"]) == (None, "no cell was marked")


def test_three_annotators_are_three_comparisons() -> None:
    frame = framed(*(rated(i, name, {"missing.face": "1/1c"}) for i in range(5) for name in "ABC"))
    (overall,) = found(frame)["overall"]
    assert (overall["either"], overall["counts"]["same_severity"]) == (15, 15)
    assert overall["shares"]["both"]["n_units"] == 5
    assert overall["shares"]["both"]["n_coders"] == 3


def test_what_a_cell_holds() -> None:
    answers = cell_annotations(framed(rated(1, "A", {"missing.torso": "1/4a,2/6c"})))
    said = answers.said[0, 0]
    assert (answers.affected[said], answers.total[said], answers.severities[said]) == (3, 6, 0b101)
    assert answers.said[0, 1:].tolist() == [0] * 24


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
    said = cell_annotations(frame).said
    by_text: dict[str, set[int]] = {}
    for row, cells in enumerate(texts):
        for place, cell in enumerate(CELLS_OF_THE_GRID):
            by_text.setdefault(cells.get(cell.key, ""), set()).add(int(said[row, place]))
    assert by_text[""] == {0}
    assert all(len(ids) == 1 for ids in by_text.values())
    assert len(set.union(*by_text.values())) == len(by_text)


@pytest.mark.study
def test_the_published_study(study_frame: RatingsFrame) -> None:
    (overall,) = found(study_frame)["overall"]
    assert (overall["either"], *overall["counts"].values()) == (436, 170, 75, 49, 19)
    assert round(overall["shares"]["same_severity"]["value"], 3) == 0.044

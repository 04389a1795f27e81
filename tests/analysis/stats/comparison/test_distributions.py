"""How the scores of images are distributed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from analysis.protocols.anatomy.comparison import anatomy_comparison as comparison
from analysis.stats.frames import RatedAnnotation
from tests.analysis.stats.conftest import framed, rated
from tests.analysis.stats.generic.making import rows_of


def of_scores(*texts: str) -> list[RatedAnnotation]:
    return [
        rated(k, "ada", {"missing.face": text} if text else {}, generator="xy"[k % 2])
        for k, text in enumerate(texts)
    ]


def steps(*rows: RatedAnnotation) -> list[dict[str, Any]]:
    return rows_of(comparison(framed(*rows)), "distribution")


def test_a_histogram_has_round_steps_and_loses_nothing() -> None:
    found = steps(*of_scores("", "1/10c", "2/10c", "3/10c", "3/10c", "7/10c", "10/10c", "9/10c"))
    low, high = found[0]["from"], found[0]["to"]
    assert (low, high in (0.5, 1.0)) == (0.0, True)
    edges = [row["from"] for row in found] + [found[-1]["to"]]
    assert edges == [k * high for k in range(len(found) + 1)]
    scores = np.array([0.0, 0.1, 0.2, 0.3, 0.3, 0.7, 1.0, 0.9])
    assert [row["images"] for row in found] == np.histogram(scores, bins=edges)[0].tolist()
    assert [row["images"] for row in found] == [row["generator x"] + row["generator y"] for row in found]


@pytest.mark.parametrize("text", ["", "3/7c"])
def test_a_histogram_of_one_value(text: str) -> None:
    assert [row["images"] for row in steps(*of_scores(text, text, text))] == [3]


def test_an_image_judged_twice_counts_once() -> None:
    rows = [rated(1, who, {"missing.face": "1/2c"}) for who in ("ada", "bo")]
    assert sum(row["images"] for row in steps(*rows)) == 1


def test_the_published_study(study_frame: Any) -> None:
    found = rows_of(comparison(study_frame), "distribution")
    assert sum(row["images"] for row in found) == 240
    assert {sum(row[f"generator {name}"] for row in found) for name in study_frame.labels("generator")} == {
        80
    }

"""Prompts, annotators and the distribution of scores."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.protocols.anatomy.comparison import anatomy_comparison
from analysis.stats.comparison import groups
from analysis.stats.frames import RatingsFrame
from tests.analysis.stats.conftest import framed, rated
from tests.analysis.stats.generic.making import rows_of


def test_a_histogram_has_round_steps_and_loses_no_image() -> None:
    shares = (0, 1, 2, 3, 3, 7, 10, 24)
    rows = [
        rated(k, "ada", {"missing.face": f"{share}/24c"} if share else {}, generator="xy"[k % 2])
        for k, share in enumerate(shares)
    ]
    found = rows_of(anatomy_comparison(framed(*rows)), "distribution")
    edges = [row["from"] for row in found] + [found[-1]["to"]]
    assert edges == pytest.approx([0.2 * k for k in range(len(edges))])
    scores = np.array(shares) / 24
    assert [row["images"] for row in found] == np.histogram(scores, bins=edges)[0].tolist()
    assert sum(row["generator x"] for row in found) == sum(row["generator y"] for row in found) == 4


def test_one_score_is_one_step() -> None:
    (row,) = rows_of(anatomy_comparison(framed(rated(1, "ada", {}), rated(2, "ada", {}))), "distribution")
    assert list(row.values()) == [0, 0.001, 2, 2]


def test_prompt_groups_go_from_one_person_to_many() -> None:
    rows = [
        rated(k, "ada", {}, prompt_group=group) for k, group in enumerate(("group", "crowd", "individual"))
    ]
    found = rows_of(anatomy_comparison(framed(*rows)), "prompt_groups")
    assert [row["prompt_group"] for row in found] == ["individual", "group", "crowd"]


def test_prompts_with_few_images_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(groups, "LISTED", 1)
    result = anatomy_comparison(framed(*(rated(k, "ada", {}, prompt="pqq"[k]) for k in range(3))))
    assert [(row["prompt"], row["images"]) for row in rows_of(result, "prompts")] == [("q", 2)]
    (words,) = (table["words"] for table in result["tables"] if table["name"] == "prompts")
    assert words.endswith("1 prompts with fewer images are not listed.")


@pytest.mark.study
def test_the_published_means_of_prompts(study_frame: RatingsFrame) -> None:
    result = anatomy_comparison(study_frame)
    prompts = {row["prompt"]: row for row in rows_of(result, "prompts")}
    highest = max(prompts.values(), key=lambda row: float(row["mean"]["value"]))
    assert highest["prompt"] == "five people sunbathing on beach"
    salto = prompts["athlete performing salto"]["generator dall-e3"]
    assert [round(salto[key], 2) for key in ("value", "low", "high")] == [0.49, 0.24, 0.74]
    assert (salto["n_units"], salto["n_coders"]) == (8, 4)
    assert [round(row["mean"]["value"], 2) for row in rows_of(result, "annotators")] == [
        2.32,
        1.22,
        0.82,
        1.89,
    ]

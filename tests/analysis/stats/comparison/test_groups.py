"""Prompts, prompt groups and annotators."""

from __future__ import annotations

import pytest

from analysis.protocols.anatomy.comparison import anatomy_comparison
from analysis.stats.comparison import groups
from analysis.stats.frames import RatingsFrame
from tests.analysis.stats.conftest import framed, rated
from tests.analysis.stats.generic.making import rows_of


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


def test_the_published_means_of_prompts(study_frame: RatingsFrame) -> None:
    result = anatomy_comparison(study_frame)
    prompts = {row["prompt"]: row for row in rows_of(result, "prompts")}
    highest = max(prompts.values(), key=lambda row: float(row["mean"]["value"]))
    assert highest["prompt"] == "five people sunbathing on beach"
    salto = prompts["athlete performing salto"]["generator dall-e3"]
    assert [round(salto[key], 2) for key in ("value", "low", "high")] == [0.49, 0.24, 0.74]
    assert (salto["n_units"], salto["n_coders"]) == (8, 3)
    scores = study_frame.parts("annotator", study_frame.scores)
    assert {row["annotator"]: row["mean"]["value"] for row in rows_of(result, "annotators")} == {
        name: pytest.approx(own.mean()) for name, own in scores.items()
    }

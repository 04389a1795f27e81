"""Tests between prompts, prompt groups, error types and body parts, held against R."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from scipy import stats

from analysis.stats.comparison import group_tests as module
from analysis.stats.comparison.group_tests import group_tests, one_way_test, repeated_measures
from analysis.stats.frames import RatingsFrame
from analysis.stats.images import image_table
from tests.analysis.stats.conftest import framed, rated


@pytest.fixture(scope="module")
def study(study_frame: RatingsFrame) -> dict[str, Any]:
    return group_tests(image_table(study_frame))


def overall(found: dict[str, Any]) -> list[float]:
    return [found["overall"][key] for key in ("f", "df1", "df2", "p")]


@pytest.mark.study
def test_prompts_of_the_published_study(study: dict[str, Any]) -> None:
    """R: anova(lm(y ~ generator + prompt)), pairwise.t.test(pool.sd = FALSE, "holm"), t.test.

    By annotation, the study itself printed t = 6.74.
    """
    found = study["prompts"]
    assert overall(found) == pytest.approx([15.48082, 9, 228, 1.2588207700e-19], rel=1e-6)
    assert (found["tested"], found["clear"], found["pairs_left_out"]) == (45, 8, 0)
    first = found["pairs"][0]
    assert (first["a"], first["b"]) == ("five people sunbathing on beach", "mother or father holding baby")
    assert (first["t"], first["df"], first["p"]) == pytest.approx(
        (6.274969621, 26.25946702, 1.163437588e-06), rel=1e-8
    )
    assert first["p_holm"] == pytest.approx(5.235469145e-05, rel=1e-8)
    assert first["by_annotation"]["t"] == pytest.approx(6.73758, rel=1e-6)
    assert first["by_annotation"]["df"] == pytest.approx(33.0, abs=0.01)
    assert first["by_annotation"]["p"] == pytest.approx(1.1e-7, rel=0.02)


@pytest.mark.study
def test_prompt_groups_and_kinds_of_the_published_study(study: dict[str, Any]) -> None:
    """R: anova(lm(y ~ generator + group)); anova(lm(Y ~ 1), X = ~1, test = "Spherical"), G-G Pr; t.test."""
    assert overall(study["prompt_groups"]) == pytest.approx([18.40746, 2, 235, 3.7442e-08], rel=1e-4)
    types = study["error_types"]
    assert types["overall"]["epsilon"] == pytest.approx(0.4546, abs=5e-5)
    assert types["overall"]["f"] == pytest.approx(111.38937, rel=1e-7)
    assert types["overall"]["p"] == pytest.approx(5.043092698e-37, rel=1e-8)
    pairs = {(pair["a"], pair["b"]): pair for pair in types["pairs"]}
    assert pairs["missing", "extra"]["t"] == pytest.approx(6.164319918, rel=1e-9)
    parts = study["body_parts"]
    assert parts["overall"]["epsilon"] == pytest.approx(0.8898, abs=5e-5)
    assert parts["overall"]["p"] == pytest.approx(4.960810789e-40, rel=1e-8)
    pairs = {(pair["a"], pair["b"]): pair for pair in parts["pairs"]}
    assert pairs["torso", "limbs"]["t"] == pytest.approx(-5.98490345, rel=1e-8)


def many(prompts: int, images: int = 3) -> RatingsFrame:
    return framed(
        *(
            rated(
                k,
                "a",
                {"missing.face": f"{1 + k * 7 % 11 + 3 * (k % prompts == 0)}/20c"},
                generator="xy"[k // prompts % 2],
                prompt=f"p{k % prompts:03}",
            )
            for k in range(prompts * images)
        )
    )


def test_pairs_beyond_the_limit_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = group_tests(image_table(many(9)))["prompts"]
    monkeypatch.setattr(module, "LISTED", 5)
    found = group_tests(image_table(many(9)))["prompts"]
    assert (found["tested"], found["pairs_left_out"], found["clear"]) == (36, 31, whole["clear"])
    assert found["pairs"] == whole["pairs"][:5]
    assert [pair["p"] for pair in whole["pairs"]] == sorted(pair["p"] for pair in whole["pairs"])
    monkeypatch.setattr(module, "MOST_GROUPS", 8)
    found = group_tests(image_table(many(9)))["prompts"]
    assert (found["refused"], found["pairs"]) == ("more than 8 groups", [])
    json.dumps(found, allow_nan=False)


def test_one_generator_has_a_one_way_test() -> None:
    rng = np.random.default_rng(1)
    codes = np.repeat([0, 1, 2], [4, 5, 6])
    values = rng.gamma(1, 1, 15) + codes
    expected = stats.f_oneway(*(values[codes == k] for k in range(3)))
    found = one_way_test(values, codes)
    assert (found["f"], found["p"]) == pytest.approx((expected.statistic, expected.pvalue))
    frame = framed(*(rated(k, "a", {"missing.face": f"1/{k + 1}c"}, prompt="pq"[k % 2]) for k in range(8)))
    assert group_tests(image_table(frame))["prompts"]["overall"]["df2"] == 6


def test_what_cannot_be_tested_says_why() -> None:
    assert one_way_test(np.ones(4), np.array([0, 0, 1, 1]))["refused"] == (
        "the scores of images do not vary within groups"
    )
    assert one_way_test(np.ones(2), np.array([0, 1]))["refused"] == "too few images for this many groups"
    assert one_way_test(np.ones(2), np.array([0, 0]))["refused"] == "fewer than 2 groups"
    assert repeated_measures(np.ones((1, 5)))["refused"] == "fewer than 2 images"
    assert repeated_measures(np.ones((4, 5)))["refused"] == (
        "the parts of the score differ by the same in every image"
    )
    found = group_tests(image_table(framed()))
    assert {key: one["pairs"] for key, one in found.items() if key[0] == "p"} == {
        "prompts": [],
        "prompt_groups": [],
    }
    assert {pair["p"] for pair in found["error_types"]["pairs"]} == {None}

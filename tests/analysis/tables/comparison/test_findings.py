"""Sentences built from numbers: no side can be swapped, and what is not shown is said."""

from __future__ import annotations

from typing import Any

import pytest

from analysis.stats.comparison.comparison import comparison
from analysis.stats.frames import RatingsFrame
from analysis.tables.comparison.findings import Finding, findings
from analysis.tables.comparison.generator_findings import pair_findings
from analysis.tables.wording import lower_first, turned
from tests.analysis.blank import blank
from tests.analysis.stats.conftest import framed, rated

WEIGHTS = {"a": 0.2, "b": 0.5, "c": 1.0}


def two(first: str, second: str, gap: int) -> list[Finding]:
    """Twelve images of each; the second's scores are `gap` faces of ten higher."""
    rows = [
        rated(
            2 * k + g,
            "ada",
            {"missing.face": f"{1 + k % 3 + gap * g}/10c"},
            generator=(first, second)[g],
            prompt=f"p{k % 4}",
        )
        for k in range(12)
        for g in (0, 1)
    ]
    return findings(comparison(framed(*rows)))


@pytest.mark.parametrize(("first", "second", "gap"), [("x", "y", 4), ("y", "x", 4)])
def test_the_lower_one_comes_first_whatever_its_name(first: str, second: str, gap: int) -> None:
    said = two(first, second, gap)[0]
    assert said.kind == "clear"
    assert said.text.startswith(
        f"{first} scores lower than {second}, for prompts like these, as judged by this annotator: "
        "difference −0.40 (joint 95% interval −0.47 to −0.33), mixed model, p < 0.001 after Holm"
    )


def test_no_difference_is_no_proof_of_likeness() -> None:
    said = two("x", "y", 0)[0]
    assert said == Finding(
        "open",
        "No clear difference between x and y was found, for prompts like these, as judged by this "
        "annotator: difference 0.00 (joint 95% interval −0.07 to 0.07), mixed model, p = 1.000 after Holm. "
        "They may still differ: any difference from −0.07 to 0.07 fits the data.",
    )


def test_turning_a_test_turns_everything_that_has_a_side() -> None:
    test: dict[str, Any] = {
        "a": "x",
        "b": "y",
        "images_a": 3,
        "images_b": 5,
        "mean_a": 2.0,
        "mean_b": 1.5,
        "difference": {"value": 0.5, "low": 0.1, "high": 0.9, "refused": None},
        "t": 2.0,
        "p": 0.01,
        "hedges_g": {"value": 0.7, "low": None, "high": None, "refused": "why"},
    }
    made = lower_first(test)
    assert made == {
        "a": "y",
        "b": "x",
        "images_a": 5,
        "images_b": 3,
        "mean_a": 1.5,
        "mean_b": 2.0,
        "difference": {"value": -0.5, "low": -0.9, "high": -0.1, "refused": None},
        "t": -2.0,
        "p": 0.01,
        "hedges_g": {"value": -0.7, "low": None, "high": None, "refused": "why"},
    }
    assert lower_first(made) == made
    assert turned(turned(test["difference"])) == test["difference"]


def test_many_pairs_are_summed_up() -> None:
    rows = [rated(k, "ada", {"missing.face": f"{1 + k % 5}/9c"}, generator=f"g{k % 6}") for k in range(60)]
    said = [found.text for found in findings(comparison(framed(*rows)))]
    assert len([text for text in said if text.startswith(("g", "No clear difference between g"))]) == 10
    assert any(text.startswith("Of the 5 other pairs of generators, none differ clearly") for text in said)


@pytest.mark.study
def test_the_published_study(study_frame: RatingsFrame) -> None:
    said = [(found.kind, found.text) for found in findings(comparison(study_frame))]
    holds = "for prompts and annotators like these"
    assert said[:3] == [
        (
            "clear",
            f"dall-e3 scores lower than sdxl, {holds}: difference −1.30 (joint 95% interval −2.36 to −0.24), "
            "mixed model, p = 0.015 after Holm.",
        ),
        (
            "clear",
            f"dall-e3 scores lower than stablecascade, {holds}: difference −0.98 (joint 95% interval −2.04 "
            "to 0.08), mixed model, p = 0.049 after Holm, at the limit. The joint interval includes 0 "
            "because it is less sharp than Holm's stepwise test.",
        ),
        (
            "open",
            f"No clear difference between stablecascade and sdxl was found, {holds}: difference −0.32 (joint "
            "95% interval −1.37 to 0.74), mixed model, p = 0.430 after Holm. They may still differ: any "
            "difference from −1.37 to 0.74 fits the data.",
        ),
    ]


def scores(*groups: tuple[str, str, list[int]], prompts: int = 4) -> RatingsFrame:
    """Scores in tenths of a face by generator and annotator."""
    made = [(g, who, one) for g, who, tenths in groups for one in tenths]
    return framed(
        *(
            rated(k, who, {"missing.face": f"{one}/10c"}, generator=g, prompt=f"p{k % prompts}")
            for k, (g, who, one) in enumerate(made)
        )
    )


def texts(frame: RatingsFrame) -> list[str]:
    return [found.text for found in findings(comparison(frame))]


def test_no_verdict_contradicts_its_interval() -> None:
    """Alone, x − z has p below 0.05; with two other pairs it is not clear."""
    x, y, z = [1, 2, 3, 4, 5, 6], [2, 4, 5, 6, 7, 6], [3, 4, 5, 6, 5, 4]
    result = comparison(scores(("x", "ada", x * 3), ("y", "ada", y * 3), ("z", "ada", z * 3)))
    tests = result["mixed_model"]["pairs"]
    for test in tests:
        joint = test["simultaneous"]
        assert (joint["low"] <= 0 <= joint["high"]) or test["p_holm"] < 0.05
    (said,) = [found for found in findings(result) if "between x and z" in found.text]
    (between,) = [test for test in tests if (test["a"], test["b"]) == ("x", "z")]
    assert between["p_holm"] >= 0.05
    assert said.kind == "open"
    assert said.text.endswith("They may still differ: any difference from −0.22 to 0.02 fits the data.")


def test_a_clear_difference_with_zero_in_its_joint_interval_says_why() -> None:
    test: dict[str, Any] = {
        "a": "x",
        "b": "y",
        "p": 0.02,
        "p_holm": 0.04,
        "difference": {"value": -1.0, "low": -1.8, "high": -0.2, "refused": None},
        "simultaneous": {"value": -1.0, "low": -2.1, "high": 0.1, "refused": None},
        "t": -2.4,
    }
    found = {"refused": None, "pairs": [test], "omitted": [], "annotators": 4, "prompts": 10}
    (said,) = pair_findings(blank("comparison", mixed_model=found))
    assert said.kind == "clear"
    assert said.text.endswith(
        " The joint interval includes 0 because it is less sharp than Holm's stepwise test."
    )


def test_ties_are_shared() -> None:
    """p0 and p1 have the same mean: none of them has the most errors."""
    rows = [
        rated(k, "ada", {"missing.face": f"{(7, 7, 1)[k % 3] + k // 3 % 2}/10c"}, prompt=f"p{k % 3}")
        for k in range(18)
    ]
    said = " ".join(texts(framed(*rows)))
    assert "The highest mean, 0.75, is that of p0 and p1." in said
    assert "with the most errors" not in said
    even = [rated(k, "ada", {"missing.face": f"{k // 3 % 3}/10c"}, prompt=f"p{k % 3}") for k in range(18)]
    assert any(
        text.startswith("No difference between the prompts was found: F(") for text in texts(framed(*even))
    )


def skewed() -> RatingsFrame:
    """bo is strict and judged mostly y: x and y are alike, and raw means differ."""
    return scores(
        ("x", "ada", [1, 2, 3, 2] * 6),
        ("x", "bo", [6, 7, 6, 5] * 1),
        ("y", "ada", [2, 2, 1, 3] * 1),
        ("y", "bo", [5, 6, 7, 6] * 6),
    )


def test_where_assignments_are_skewed_no_raw_difference_is_called_clear() -> None:
    result = comparison(skewed())
    assert [test["p_holm"] < 0.05 for test in result["generator_comparisons"]] == [True]
    said = [(found.kind, found.text) for found in findings(result)]
    assert said[0][1].startswith("One annotator made 86% of the annotations of x, but 14% of those of y.")
    assert said[1][1].startswith("No clear difference between")
    assert not any("scores lower" in text for _, text in said)


def test_a_model_that_is_refused_is_the_finding() -> None:
    apart = scores(("x", "ada", [1, 2, 3, 4] * 3), ("y", "bo", [6, 7, 8, 9] * 3))
    assert texts(apart)[1] == (
        "The generators are not compared: x has a single annotator, who judged no other generator."
    )

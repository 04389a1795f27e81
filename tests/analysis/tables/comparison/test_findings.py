"""Sentences built from numbers: no side can be swapped, and what is not shown is said."""

from __future__ import annotations

from typing import Any

import pytest

from analysis.stats.comparison.comparison import comparison
from analysis.stats.comparison.holm import holm
from analysis.stats.frames import RatingsFrame
from analysis.tables.comparison.findings import Finding, findings
from analysis.tables.comparison.generator_findings import pair_findings
from analysis.tables.comparison.other_findings import _tips
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
        f"{first} scores lower than {second}: difference −0.40 (joint 95% interval −0.47 to −0.33), "
    )
    assert "Hedges' g −" in said.text


def test_no_difference_is_no_proof_of_likeness() -> None:
    said = two("x", "y", 0)[0]
    assert said == Finding(
        "open",
        "No clear difference between x and y was found: difference 0.00 (joint 95% interval −0.07 to 0.07), "
        "Welch's test over images, Holm-corrected p = 1.000, Hedges' g 0.00 (−0.77 to 0.77). They may still "
        "differ: any difference from −0.07 to 0.07 fits the data.",
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
        "a_lower": 1,
        "b_lower": 9,
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
        "a_lower": 9,
        "b_lower": 1,
    }
    assert lower_first(made) == made
    assert turned(turned(test["difference"])) == test["difference"]


def test_where_weights_tip_the_order() -> None:
    mild = {f"{kind}.face": "1/1a" for kind in ("missing", "extra", "configuration", "orientation")}
    rows = [
        rated(1, "ada", mild, generator="x"),
        rated(2, "ada", {"missing.face": "6/10c"}, generator="y"),
    ]
    said = [found.text for found in findings(comparison(framed(*rows)))]
    assert "With this report's weights, the order is y, x (fewest errors first)." in said
    assert (
        "x and y swap places at a weight of 0.15 for mild errors (now 0.20), or at a weight of 1.33 for "
        "severe errors (now 1.00), with the other weights unchanged." in said
    )


def test_many_pairs_are_summed_up() -> None:
    rows = [rated(k, "ada", {"missing.face": f"{1 + k % 5}/9c"}, generator=f"g{k % 6}") for k in range(60)]
    said = [found.text for found in findings(comparison(framed(*rows)))]
    assert len([text for text in said if text.startswith(("g", "No clear difference between g"))]) == 10
    assert any(text.startswith("Of the 5 other pairs of generators, none differ clearly") for text in said)


def test_equal_generators_have_no_order() -> None:
    said = [(found.kind, found.text) for found in two("x", "y", 0)]
    equal = "No weights separate the generators: their errors of each severity are equal."
    assert ("open", equal) in said
    assert not any("order" in text for _, text in said)


@pytest.mark.study
def test_the_published_study(study_frame: RatingsFrame) -> None:
    said = [(found.kind, found.text) for found in findings(comparison(study_frame))]
    assert said[0] == (
        "clear",
        "dall-e3 scores lower than sdxl: difference −1.29 (joint 95% interval −1.78 to −0.80), Welch's test "
        "over images, Holm-corrected p < 0.001, Hedges' g −1.00 (−1.33 to −0.67).",
    )
    assert [kind for kind, _ in said] == [
        "clear",
        "clear",
        "open",
        "clear",
        "open",
        *["note"] * 4,
        *["clear"] * 4,
        "note",
    ]
    assert said[4][1] == (
        "Counting each prompt once, dall-e3 and stablecascade do not differ clearly: dall-e3 is lower in 8 "
        "of 10 prompts, difference −0.97 (joint 95% interval −2.09 to 0.15), Holm-corrected p = 0.064."
    )


def scores(*groups: tuple[str, str, list[int]], prompts: int = 4) -> RatingsFrame:
    """Scores in tenths of a face by generator and annotator."""
    made = [(g, who, one) for g, who, tenths in groups for one in tenths]
    return framed(
        *(
            rated(k, who, {"missing.face": f"{one}/10c"}, generator=g, prompt=f"p{k % prompts}")
            for k, (g, who, one) in enumerate(made)
        )
    )


def texts(frame: RatingsFrame, declared: str = "") -> list[str]:
    return [found.text for found in findings(comparison(frame), declared)]


def test_no_verdict_contradicts_its_interval() -> None:
    """Alone, x − z is −0.197 to −0.003 with p = 0.045; with two other pairs it is not clear."""
    x, y, z = [1, 2, 3, 4, 5, 6], [2, 4, 5, 6, 7, 6], [3, 4, 5, 6, 5, 4]
    result = comparison(scores(("x", "ada", x * 3), ("y", "ada", y * 3), ("z", "ada", z * 3)))
    for test in result["generator_comparisons"]:
        joint = test["simultaneous"]
        assert (joint["low"] <= 0 <= joint["high"]) or test["p_holm"] < 0.05
    uncorrected = [t for t in result["generator_comparisons"] if t["p"] < 0.05 <= t["p_holm"]]
    assert [(t["a"], t["b"]) for t in uncorrected] == [("x", "z")]
    assert round(uncorrected[0]["difference"]["high"], 3) == -0.003
    (said,) = [found for found in findings(result) if "between x and z" in found.text]
    assert said.kind == "open"
    assert "difference −0.10 (joint 95% interval −0.22 to 0.02), Welch's test" in said.text
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
    (said,) = pair_findings(blank("comparison", generator_comparisons=[test]), "image")
    assert said.kind == "clear"
    assert said.text.endswith(
        " The joint interval includes 0 because it is less sharp than Holm's stepwise test."
    )


@pytest.mark.thorough
def test_by_annotation_and_by_image_are_compared_with_the_same_correction() -> None:
    """Six annotators of each image make p by annotation far smaller; both are corrected by Holm."""
    tenths = {"x": [1, 2, 3, 4, 5, 6], "y": [2, 3, 4, 5, 6, 8], "z": [2, 2, 4, 5, 6, 8]}
    frame = framed(
        *(
            rated(6 * g + k, who, {"missing.face": f"{one}/10c"}, generator=name, prompt=f"p{k % 3}")
            for g, (name, values) in enumerate(tenths.items())
            for k, one in enumerate(values)
            for who in "abcdef"
        )
    )
    by_annotation = [test["p"] for test in comparison(frame)["generator_tests"]]
    clear = sum(value is not None and value < 0.05 for value in holm(by_annotation))
    said = [text for text in texts(frame) if text.startswith("Counted by annotation")]
    assert len(said) == clear < sum(value < 0.05 for value in by_annotation)
    assert all("Holm-corrected p = " in text and "uncorrected" not in text for text in said)


def test_an_order_of_means_is_not_called_clear() -> None:
    frame = scores(("x", "ada", [1, 2, 3, 4] * 3), ("y", "ada", [2, 3, 3, 4] * 3))
    said = [found for found in findings(comparison(frame)) if "keep the order x, y" in found.text]
    assert [found.kind for found in said] == ["note"]
    assert said[0].text.endswith("That is an order of means only: the difference of x and y is not clear.")


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


def test_no_weight_of_zero_lets_places_swap() -> None:
    """x and y differ in mild errors alone and are equal where these do not count."""
    rows = [
        rated(1, "ada", {"missing.face": "1/2a", "extra.face": "1/2c"}, generator="x"),
        rated(2, "ada", {"missing.face": "1/4a", "extra.face": "1/2c"}, generator="y"),
        rated(3, "ada", {"missing.face": "1/1000c,1/1a", "extra.face": "1/2b"}, generator="z"),
    ]
    said = texts(framed(*rows))
    assert not any("weight of 0.00" in text for text in said)
    pair: dict[str, Any] = {"a": "x", "b": "y", "tips": {"a": 0.001, "b": None, "c": None}}
    assert "at a weight of less than 0.01 for mild errors" in _tips(pair, WEIGHTS)
    assert _tips({**pair, "tips": {"a": 0.0, "b": None, "c": None}}, WEIGHTS) == (
        "x and y swap places only if several weights change together."
    )


def test_what_is_held_fixed_is_said() -> None:
    said = texts(scores(("x", "ada", [1, 2, 3, 4] * 3), ("y", "bo", [6, 7, 8, 9] * 3)))
    assert said[-1].startswith(
        "Annotators and prompts are fixed in these intervals and tests: they apply to further images of the "
        "same prompts, annotated by the same annotators."
    )


def skewed() -> RatingsFrame:
    """bo is strict and judged mostly y: x and y are alike, and raw means differ."""
    return scores(
        ("x", "ada", [1, 2, 3, 2] * 6),
        ("x", "bo", [6, 7, 6, 5] * 1),
        ("y", "ada", [2, 2, 1, 3] * 1),
        ("y", "bo", [5, 6, 7, 6] * 6),
    )


@pytest.mark.thorough
def test_where_assignments_are_skewed_the_adjusted_difference_comes_first() -> None:
    said = texts(skewed())
    assert said[0].startswith("One annotator made 86% of the annotations of x, but 14% of those of y.")
    assert said[1].startswith("No clear difference between")
    assert ", adjusted for annotator and prompt, Holm-corrected p = " in said[1]
    assert said[2].startswith("x scores lower than y: difference −0.29 (joint 95% interval −0.37 to −0.20)")


@pytest.mark.thorough
def test_the_declared_analysis_comes_first() -> None:
    assert "Welch's test over images" in texts(skewed(), "image")[1]
    assert "mixed model, for other annotators and prompts like these" in texts(skewed(), "mixed")[1]
    alone = scores(("x", "ada", [1, 2, 3, 4]), ("y", "ada", [4, 5, 6, 7]), prompts=1)
    assert "Welch's test over images" in texts(alone, "adjusted")[0]

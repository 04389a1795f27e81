"""Sentences built from numbers: no side can be swapped, and what is not shown is said."""

from __future__ import annotations

from typing import Any

import pytest

from analysis.stats.comparison.comparison import comparison
from analysis.stats.frames import RatingsFrame
from analysis.tables.comparison.comparison import comparison_tables
from analysis.tables.comparison.findings import Finding, findings
from analysis.tables.comparison.methods import methods
from analysis.tables.wording import lower_first, turned
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
    assert said.text.startswith(f"{first} scores lower than {second}: difference −0.40 [−0.47, −0.33], ")
    assert "Hedges' g −" in said.text


def test_no_difference_is_no_proof_of_likeness() -> None:
    said = two("x", "y", 0)[0]
    assert said == Finding(
        "open",
        "No significant difference between x and y was found: difference 0.00 [−0.07, 0.07], Welch's test "
        "over images p = 1.000, Holm-corrected p = 1.000, Hedges' g 0.00 [−0.77, 0.77]. They may still "
        "differ: any difference in [−0.07, 0.07] fits the data.",
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
    assert len([text for text in said if text.startswith(("g", "No significant difference between g"))]) == 10
    assert any(text.startswith("Of the 5 other pairs of generators, none differ clearly") for text in said)


def test_a_result_from_before_has_its_tables_and_no_sentences() -> None:
    """Reports are kept: one that was stored before images were compared can still be read."""
    whole = comparison(
        framed(*(rated(k, "ada", {"missing.face": f"1/{k + 2}c"}, generator="xy"[k % 2]) for k in range(6)))
    )
    old_keys = ("annotations", "images", "mean", "variance", "severity")
    old: dict[str, Any] = {"generator_tests": whole["generator_tests"]}
    for key, label in (
        ("generators", "generator"),
        ("prompts", "prompt"),
        ("prompt_groups", "prompt_group"),
        ("error_types", "error_type"),
        ("body_parts", "body_part"),
        ("annotators", "annotator"),
    ):
        old[key] = [{name: entry[name] for name in (label, *old_keys)} for entry in whole[key]]
    assert (findings(old), methods(old)) == ([], "")
    assert [table.slug for table in comparison_tables(old, WEIGHTS)] == [
        *("generators", "generator_tests", "prompts", "prompt_groups"),
        *("error_types", "body_parts", "annotators"),
    ]


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
        "dall-e3 scores lower than sdxl: difference −1.29 [−1.69, −0.89], Welch's test over images "
        "p < 0.001, Holm-corrected p < 0.001, Hedges' g −1.00 [−1.33, −0.67].",
    )
    assert [kind for kind, _ in said] == [
        "clear",
        "clear",
        "open",
        "clear",
        "open",
        "note",
        "clear",
        "note",
        "note",
    ]
    assert said[4][1] == (
        "With the prompt as the unit, dall-e3 and stablecascade do not differ clearly: dall-e3 is lower in 8 "
        "of 10 prompts, difference −0.97 [−1.84, −0.10], Holm-corrected p = 0.064."
    )

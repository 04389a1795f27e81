"""The mixed model of the comparison: the published study against lme4, and what cannot be told apart."""

from __future__ import annotations

import json

import pytest

from analysis.stats.comparison import mixed
from analysis.stats.comparison.mixed import mixed_model
from analysis.stats.frames import RatedAnnotation, RatingsFrame
from analysis.stats.mixed_models import CELL
from tests.analysis.stats.conftest import framed, rated

ESTIMATES = ("standard_deviation_estimate", "share_estimate")


@pytest.mark.study
def test_the_published_study_is_that_of_lme4(study_frame: RatingsFrame) -> None:
    """lmer(score ~ generator + (1|annotator) + (1|prompt) + (1|generator:prompt) + (1|image)), lmerTest."""
    found = mixed_model(study_frame)
    assert (found["refused"], found["omitted"]) == (None, [])
    assert {row["name"]: row["standard_deviation"] for row in found["components"]} == pytest.approx(
        {
            "annotator": 0.6662815,
            "prompt": 0.8835319,
            "generator_prompt": 0.5507810,
            "image": 0.6350803,
            "residual": 0.8151595,
        },
        rel=1e-4,
    )
    assert sum(row["share"] for row in found["components"]) == pytest.approx(1)
    # With the covariance of the variance parameters of lmerTest (vcov_varpar): 2 / variance of the log as
    # degrees of freedom of chi-squared, and the delta method on the logit of the share.
    limits = {
        row["name"]: [row[key][end] for key in ESTIMATES for end in ("low", "high")]
        for row in found["components"]
    }
    assert limits == {
        "annotator": pytest.approx([0.3729361, 2.6477197, 0.0362994, 0.5305115], rel=1e-3),
        "prompt": pytest.approx([0.5752069, 1.8838915, 0.1149883, 0.5873873], rel=1e-3),
        "generator_prompt": pytest.approx([0.3798217, 0.9988966, 0.04281049, 0.28137984], rel=1e-3),
        "image": pytest.approx([0.4730529, 0.9662807, 0.06666867, 0.32147800], rel=1e-3),
        "residual": pytest.approx([0.6890975, 0.9981047, 0.1388632, 0.4233459], rel=1e-3),
    }
    for row in found["components"]:
        assert row["standard_deviation_estimate"]["value"] == row["standard_deviation"]
        assert row["share_estimate"]["value"] == row["share"]
    pairs = {(row["a"], row["b"]): row for row in found["pairs"]}
    first, second, third = (
        pairs[names]
        for names in (("dall-e3", "sdxl"), ("dall-e3", "stablecascade"), ("sdxl", "stablecascade"))
    )
    assert first["difference"]["value"] == pytest.approx(-1.2672853, rel=1e-6)
    assert (first["t"], first["df"], first["p"]) == pytest.approx(
        (-4.3555068, 17.9430215, 0.00038376), rel=1e-3
    )
    assert second["difference"]["value"] == pytest.approx(-0.9755251, rel=1e-6)
    assert third["difference"]["low"] == pytest.approx(-0.3196667, rel=1e-4)
    assert third["difference"]["high"] == pytest.approx(0.9031870, rel=1e-4)
    assert third["p"] == pytest.approx(0.3293162, rel=1e-4)
    assert first["p_holm"] == pytest.approx(3 * first["p"])
    means = [row["mean"]["value"] for row in found["means"]]
    assert means == pytest.approx([0.8230824, 2.0903677, 1.7986075], rel=1e-6)
    json.dumps(found, allow_nan=False)


@pytest.mark.study
def test_without_the_interaction_errors_would_be_too_small(
    study_frame: RatingsFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    """lmer(score ~ generator + (1|annotator) + (1|prompt) + (1|image)), lmerTest: 0.1702909, df 215.25."""
    monkeypatch.setattr(mixed, "_omitted", lambda *_: iter([(CELL, "left out")]))
    first, second, _ = mixed_model(study_frame)["pairs"]
    assert first["difference"]["value"] / first["t"] == pytest.approx(0.1702909, rel=1e-5)
    assert (first["df"], second["df"]) == pytest.approx((215.2538, 215.2538), rel=1e-3)
    assert (first["t"], second["t"]) == pytest.approx((-7.467367, -5.722014), rel=1e-5)


def image(number: int, generator: str, prompt: str, text: str, annotator: str = "a") -> RatedAnnotation:
    return rated(number, annotator, {"missing.hands": text}, generator=generator, prompt=prompt)


TEXTS = ("1/4c", "2/4c", "3/4c", "1/4a", "4/4b", "1/4b")


def test_what_cannot_be_told_apart_is_omitted_and_named() -> None:
    rows = [image(i, "gh"[i % 2], "pq"[i // 4], TEXTS[i % 6]) for i in range(8)]
    found = mixed_model(framed(*rows))
    assert found["refused"] is None
    assert [row["name"] for row in found["omitted"]] == ["annotator", "image"]
    assert [row["name"] for row in found["components"]] == ["prompt", "generator_prompt", "residual"]


def test_one_prompt_has_neither_prompt_nor_interaction() -> None:
    rows = [image(i // 2, "gh"[i // 2 % 2], "p", TEXTS[i % 6], "ab"[i % 2]) for i in range(12)]
    found = mixed_model(framed(*rows))
    reasons = {row["name"]: row["reason"] for row in found["omitted"]}
    assert reasons == {"prompt": mixed.ONE_PROMPT, "generator_prompt": mixed.ONE_PROMPT}


def test_prompts_of_one_generator_each_have_no_interaction() -> None:
    rows = [image(i, "gh"[i // 6], "pqrs"[i // 3], TEXTS[i % 6]) for i in range(12)]
    names = {row["name"]: row["reason"] for row in mixed_model(framed(*rows))["omitted"]}
    assert names["generator_prompt"] == mixed.NOT_CROSSED


def test_refusals_say_why(monkeypatch: pytest.MonkeyPatch) -> None:
    assert mixed_model(framed())["refused"] == "fewer than 2 generators"
    equal = framed(*(image(i, "gh"[i % 2], "p", "1/4c") for i in range(6)))
    assert mixed_model(equal)["refused"] == "the scores do not vary within generators"
    few = framed(image(1, "g", "p", "1/4c"), image(2, "h", "p", "2/4c"), image(3, "h", "p", "1/4a"))
    assert mixed_model(few)["refused"] == "too few annotations for this many generators"
    monkeypatch.setattr(mixed, "MOST_PRODUCTS", 3)
    rows = framed(*(image(i, "gh"[i % 2], "pq"[i // 4], TEXTS[i % 6]) for i in range(8)))
    assert mixed_model(rows)["refused"] == (
        "4 combinations of generator and prompt; with 1 annotators, this model can hold 3"
    )
    monkeypatch.setattr(mixed, "MOST_ANNOTATORS", 0)
    assert mixed_model(rows)["refused"] == "1 annotators; this model can hold 0"


def test_doubles_that_never_differ_are_refused() -> None:
    """Without residual variance the equations have no solution: this ended the whole report."""
    rows = [
        image(i, "gh"[i % 2], f"p{i // 4}", f"{1 + i * 5 % 7 + strict}/12c", who)
        for i in range(16)
        for strict, who in enumerate("ab")
    ]
    found = mixed_model(framed(*rows))
    assert (found["refused"], found["pairs"], found["means"]) == (mixed.NO_RESIDUAL, [], [])


def test_images_that_never_differ_within_a_prompt_are_refused() -> None:
    rows = [image(i, "gh"[i % 2], "pqr"[i // 4], f"{1 + i // 4 + 2 * (i % 2)}/12c") for i in range(12)]
    assert mixed_model(framed(*rows))["refused"] == mixed.NO_RESIDUAL_OF_IMAGES


def test_components_that_cannot_be_told_apart_give_no_interval() -> None:
    """Each prompt but one has a single generator: Satterthwaite's degrees of freedom are near 0."""
    rows = [
        image(1, "g", "p", "0/12c"),
        image(2, "g", "p", "7/12c"),
        image(3, "h", "q", "2/12c"),
        image(4, "h", "q", "9/12c"),
        image(5, "h", "r", "1/12c"),
        image(6, "g", "r", "5/12c"),
    ]
    found = mixed_model(framed(*rows))
    assert found["refused"] is None
    for pair in found["pairs"]:
        assert pair["df"] is None or 1 <= pair["df"] <= 4
    json.dumps(found, allow_nan=False)

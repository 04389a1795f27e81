"""The mixed model of the comparison: the published study against lme4, and what cannot be told apart."""

from __future__ import annotations

import json

import numpy as np
import pytest

from analysis.protocols.anatomy.comparison import anatomy_comparison as comparison
from analysis.stats.comparison import mixed
from analysis.stats.comparison.mixed import mixed_model
from analysis.stats.estimates import FROM_ZERO
from analysis.stats.frames import RatedAnnotation, RatingsFrame
from analysis.stats.generic.tables import Json, rows_of
from tests.analysis.stats.conftest import framed, rated


def modelled(frame: RatingsFrame) -> Json:
    return mixed_model(frame, frame.scores, FROM_ZERO)


def test_the_published_study_is_that_of_lmertest(study_frame: RatingsFrame) -> None:
    """lmer(score ~ generator + (1|prompt) + (1|generator:prompt) + (1|image) + (1|annotator)
    + (1|annotator:generator) + (1|annotator:prompt)), lmerTest."""
    found = modelled(study_frame)
    assert (found["refused"], found["dropped"]) == (None, [])
    assert {row["name"]: row["standard_deviation"]["value"] for row in found["components"]} == pytest.approx(
        {
            "prompt": 0.829,
            "annotator": 0.599,
            "generator_prompt": 0.528,
            "annotator_prompt": 0.455,
            "annotator_generator": 0.388,
            "image": 0.664,
            "residual": 0.639,
        },
        abs=5e-4,
    )
    assert sum(row["share"] for row in found["components"]) == pytest.approx(1)
    differences = {
        (row["a"], row["b"]): [row["difference"][key] for key in ("value", "low", "high")]
        for row in found["pairs"]
    }
    assert differences == {
        ("dall-e3", "sdxl"): pytest.approx([-1.30, -2.13, -0.46], abs=5e-3),
        ("dall-e3", "stablecascade"): pytest.approx([-0.98, -1.82, -0.15], abs=5.1e-3),
        ("sdxl", "stablecascade"): pytest.approx([0.32, -0.52, 1.15], abs=5e-3),
    }
    first, second, third = found["pairs"]
    assert (first["p"], first["p_holm"]) == pytest.approx((0.0050, 0.0150), abs=6e-5)
    assert (second["p"], second["p_holm"]) == pytest.approx((0.0246, 0.0493), abs=6e-5)
    assert (third["p"], third["p_holm"]) == pytest.approx((0.43, 0.43), abs=5e-3)
    json.dumps(found, allow_nan=False)


def image(number: int, generator: str, prompt: str, text: str, annotator: str = "a") -> RatedAnnotation:
    return rated(number, annotator, {"missing.hands": text}, generator=generator, prompt=prompt)


TEXTS = ("1/4c", "2/4c", "3/4c", "1/4a", "4/4b", "1/4b")


def twins(*rows: RatedAnnotation) -> dict[str, str | None]:
    """The components that are not in the model, each with what groups the annotations in the same way."""
    return {row["name"]: row["twin"] for row in modelled(framed(*rows))["dropped"]}


def test_a_component_stays_if_it_groups_the_annotations_as_nothing_else_does() -> None:
    rows = [image(i, "gh"[i % 2], "pq"[i // 4], TEXTS[i % 6]) for i in range(8)]
    found = modelled(framed(*rows))
    assert found["refused"] is None
    assert [row["name"] for row in found["components"]] == ["prompt", "generator_prompt", "residual"]
    reasons = {row["name"]: row["reason"] for row in found["dropped"]}
    assert reasons == {
        "image": "the same as residual here",
        "annotator": mixed.ONE_ANNOTATOR,
        "annotator_generator": "the same as generator here",
        "annotator_prompt": "the same as prompt here",
    }


def test_one_prompt_has_no_components_of_prompts() -> None:
    found = twins(*(image(i // 2, "gh"[i // 2 % 2], "p", TEXTS[i % 6], "ab"[i % 2]) for i in range(12)))
    assert found == {"prompt": None, "generator_prompt": "generator", "annotator_prompt": "annotator"}


def refusal(*rows: RatedAnnotation) -> str:
    found = modelled(framed(*rows))
    assert (found["pairs"], found["components"]) == ([], [])
    json.dumps(found, allow_nan=False)
    return str(found["refused"])


def test_refusals_say_why(monkeypatch: pytest.MonkeyPatch) -> None:
    assert refusal() == "fewer than 2 generators"
    equal = [image(i, "gh"[i % 2], "p", "1/4c") for i in range(6)]
    assert refusal(*equal) == "the scores do not vary within generators"
    few = [image(1, "g", "p", "1/4c"), image(2, "h", "p", "2/4c"), image(3, "h", "p", "1/4a")]
    assert refusal(*few) == "g has fewer than 2 images with scores"
    rows = [image(i // 2, "gh"[i // 2 % 2], "pq"[i // 8], TEXTS[i % 6], "ab"[i % 2]) for i in range(16)]
    monkeypatch.setattr(mixed, "MOST_PRODUCTS", 24)
    assert refusal(*rows) == (
        "4 combinations of generator and prompt; with 10 levels of annotators, this model can hold 2"
    )
    monkeypatch.setattr(mixed, "MOST_LEVELS", 5)
    assert refusal(*rows) == (
        "2 annotators and their combinations with generators are 6 levels; this model can hold 5"
    )


@pytest.mark.parametrize("own", ["prompt", "annotator"])
def test_a_generator_with_nothing_in_common_with_others_is_compared_with_none(own: str) -> None:
    def row(i: int) -> RatedAnnotation:
        generator = "ghk"[i % 3]
        alone = generator == "k"
        prompt = "r" if alone and own == "prompt" else "pq"[i // 3 % 2]
        annotator = "c" if alone and own == "annotator" else "ab"[i // 6 % 2]
        return image(i, generator, prompt, TEXTS[(i * i + i // 3) % 6], annotator)

    found = modelled(framed(*map(row, range(36))))
    tested = {(pair["a"], pair["b"]): pair["difference"]["refused"] for pair in found["pairs"]}
    reason = (mixed.OWN_PROMPT if own == "prompt" else mixed.OWN_ANNOTATOR).format("k")
    assert tested == {("g", "h"): None, ("g", "k"): reason, ("h", "k"): reason}


def test_generators_with_one_prompt_each_that_differ_are_refused() -> None:
    rows = [image(i, "ghkl"[i % 4], "pq"[i % 4 // 2], TEXTS[(i * i + i // 3) % 6]) for i in range(32)]
    assert refusal(*rows) == mixed.APART.format("prompt")


def test_doubles_that_never_differ_are_refused() -> None:
    """Without residual variance the equations have no solution: this ended the whole report."""
    rows = [
        image(i, "gh"[i % 2], f"p{i // 4}", f"{1 + i * 5 % 7 + strict}/12c", who)
        for i in range(16)
        for strict, who in enumerate("ab")
    ]
    assert refusal(*rows) == mixed.NO_RESIDUAL


def test_adjudicated_values_change_no_verdict() -> None:
    """They are uneven: here those of one generator alone were adjudicated, far lower."""
    rows = [
        image(i // 2, "gh"[i // 2 % 2], "pqr"[i // 16], f"{1 + (i * i + i // 3) % 9}/12c", "ab"[i % 2])
        for i in range(48)
    ]
    adjudicated = {number: np.zeros((25, 3)) for number in range(0, 24, 2)}
    plain, decided = comparison(framed(*rows)), comparison(framed(*rows), adjudicated=adjudicated)
    assert decided["settings"]["images_adjudicated"] == 12
    for part in ("model", "findings", "strips"):
        assert decided[part] == plain[part]
    assert rows_of(decided, "differences") == rows_of(plain, "differences")
    for before, after in zip(rows_of(plain, "generators"), rows_of(decided, "generators"), strict=True):
        assert "adjudicated_mean" not in before
        assert after["mean"] == before["mean"]
        lower = after["adjudicated_mean"]["value"] < after["mean"]["value"]
        assert lower == (after["generator"] == "g")

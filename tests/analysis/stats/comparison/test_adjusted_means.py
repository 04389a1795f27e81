"""Means adjusted for annotator and prompt, held against R and least squares spelt out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from analysis.stats.comparison.additive import additive
from analysis.stats.comparison.adjusted_means import NOT_CONNECTED, PROMPTS_NOT_CONNECTED, adjusted_means
from analysis.stats.frames import RatedAnnotation, RatingsFrame
from tests.analysis.stats.conftest import framed, rated


@pytest.mark.study
def test_the_published_study_is_that_of_r(study_frame: RatingsFrame) -> None:
    """R 4: lm(score ~ generator + annotator + prompt, weights = 1 / annotations of the image).

    Marginal means by model.matrix over all rows; sandwich by rowsum over images, factor 240/239 · 299/285.
    """
    found = adjusted_means(study_frame)
    assert (found["refused"], found["adjusted_for"], found["images"]) == (None, ["annotator", "prompt"], 240)
    means = {row["generator"]: row["mean"] for row in found["means"]}
    assert numbers(means["dall-e3"]) == pytest.approx([0.82628541288, 0.65830416348, 0.99426666228], rel=1e-9)
    assert numbers(means["sdxl"]) == pytest.approx([2.1148397786, 1.8455809881, 2.3840985692], rel=1e-9)
    assert numbers(means["stablecascade"]) == pytest.approx(
        [1.7963301893, 1.5297520403, 2.0629083383], rel=1e-9
    )
    pairs = [numbers(pair["difference"]) for pair in found["pairs"]]
    assert pairs == [
        pytest.approx([-1.2885543657, -1.6059153533, -0.9711933782], rel=1e-9),
        pytest.approx([-0.9700447764, -1.2851346203, -0.6549549326], rel=1e-9),
        pytest.approx([0.31850958930, -0.06038908558, 0.69740826418], rel=1e-9),
    ]
    assert {pair["df"] for pair in found["pairs"]} == {239}
    salto = next(row for row in found["prompts"] if "salto" in row["prompt"])
    assert numbers(salto["mean"]) == pytest.approx([1.7744776763, 1.4358161026, 2.1131392500], rel=1e-9)
    # Over annotations as published: 1.64 raw, 1.87 adjusted.
    assert numbers(salto["annotation_mean"]) == pytest.approx(
        [1.8687757005, 1.4421371539, 2.2954142472], rel=1e-9
    )


def numbers(found: dict[str, Any]) -> list[float]:
    return [found["value"], found["low"], found["high"]]


@pytest.mark.parametrize("by_image", [True, False])
def test_unbalanced_data_equal_least_squares_spelt_out(by_image: bool) -> None:
    rng = np.random.default_rng(3)
    images = np.unique(np.sort(rng.integers(0, 60, 100)), return_inverse=True)[1]
    g, a, p = (images * 7 + 1) % 3, rng.integers(0, 4, 100), images % 5
    y = 0.5 * g + a + 0.3 * p + rng.gamma(1, 1, 100)
    x = np.column_stack([np.eye(3)[g], np.eye(4)[a][:, 1:], np.eye(5)[p][:, 1:]])
    w = 1 / np.bincount(images)[images] if by_image else np.ones(100)
    bread = np.linalg.inv(x.T @ (x * w[:, None]))
    beta = bread @ x.T @ (w * y)
    pieces = x * (w * (y - x @ beta))[:, None]
    sums = np.array([pieces[images == k].sum(axis=0) for k in range(images.max() + 1)])
    clusters = len(sums)
    factor = clusters / (clusters - 1) * 99 / (100 - 10)
    covariance = factor * bread @ sums.T @ sums @ bread
    mix = (x * w[:, None]).sum(axis=0) / w.sum()
    of_generators = np.array([[*np.eye(3)[k], *mix[3:]] for k in range(3)])
    of_prompts = np.array([[*mix[:6], *np.eye(5)[k][1:]] for k in range(5)])

    fit = additive(y, g, a, p, images, by_image=by_image)
    found = fit.generator_means()
    assert found is not None
    assert found[0] == pytest.approx(of_generators @ beta, rel=1e-9)
    assert fit.factor * found[1].T @ found[1] == pytest.approx(
        of_generators @ covariance @ of_generators.T, rel=1e-8
    )
    prompts = fit.prompt_means(np.arange(5))
    assert prompts is not None
    assert [value for value, _ in prompts] == pytest.approx(of_prompts @ beta, rel=1e-9)
    assert [error**2 for _, error in prompts] == pytest.approx(
        np.diag(of_prompts @ covariance @ of_prompts.T), rel=1e-8
    )


def image(number: int, generator: str, annotator: str, prompt: str, affected: int) -> RatedAnnotation:
    return rated(number, annotator, {"missing.face": f"{affected}/12c"}, generator=generator, prompt=prompt)


def test_a_strict_annotator_and_a_hard_prompt_are_taken_out() -> None:
    """bo gives 3/12 more, prompt q is 2/12 harder, y is 1/12 worse: the raw difference is 4/12."""
    rows = [
        ("x", "ada", "p"),
        ("x", "ada", "p"),
        ("x", "bo", "p"),
        ("x", "ada", "q"),
        ("y", "bo", "q"),
        ("y", "bo", "q"),
        ("y", "bo", "p"),
        ("y", "ada", "q"),
    ]
    made = [
        image(k, g, a, p, 1 + (g == "y") + 3 * (a == "bo") + 2 * (p == "q") + (-1) ** k * (k in (0, 1)))
        for k, (g, a, p) in enumerate(rows)
    ]
    found = adjusted_means(framed(*made))
    assert found["refused"] is None
    assert found["pairs"][0]["difference"]["value"] == pytest.approx(-1 / 12)


def test_one_annotator_is_adjusted_for_prompts_alone() -> None:
    rows = [image(k, "xy"[k % 2], "ada", "pq"[k // 2 % 2], 1 + k % 5) for k in range(12)]
    assert adjusted_means(framed(*rows))["adjusted_for"] == ["prompt"]


def test_refusals() -> None:
    assert adjusted_means(framed())["refused"] == "fewer than 2 generators"
    alone = [image(k, "xy"[k % 2], "ada", "p", k % 5) for k in range(8)]
    assert adjusted_means(framed(*alone))["refused"] == (
        "one annotator and one prompt: there is nothing to adjust for"
    )
    apart = [image(k, "xy"[k % 2], ("ada", "bo")[k % 2], "pq"[k % 2], k % 5) for k in range(12)]
    assert adjusted_means(framed(*apart))["refused"] == NOT_CONNECTED
    few = [image(k, "xy"[k % 2], ("ada", "bo")[k // 2], "p", k) for k in range(3)]
    assert adjusted_means(framed(*few))["refused"] == (
        "too few annotations for this many generators, annotators and prompts"
    )
    equal = [image(k, "xy"[k % 2], ("ada", "bo")[k // 2 % 2], "p", 3) for k in range(8)]
    assert adjusted_means(framed(*equal))["refused"] == (
        "the scores do not vary within generator, annotator and prompt"
    )


def test_generators_that_share_prompts_need_no_common_annotator_of_prompts() -> None:
    """Each prompt has an annotator of its own: generators can be adjusted, prompts cannot."""
    rows = [image(k, "xy"[k % 2], ("ada", "bo")[k // 6], "pq"[k // 6], 1 + k * 5 % 7) for k in range(12)]
    found = adjusted_means(framed(*rows))
    assert found["refused"] is None
    assert (found["prompts"], found["prompts_refused"]) == ([], PROMPTS_NOT_CONNECTED)

"""Means of prompts adjusted for annotator and generator, held against R and least squares spelt out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from analysis.stats.comparison.additive import additive
from analysis.stats.comparison.adjusted_means import PROMPTS_NOT_CONNECTED, adjusted_means
from analysis.stats.frames import RatedAnnotation, RatingsFrame
from tests.analysis.stats.conftest import framed, rated


@pytest.mark.study
def test_the_published_study_is_that_of_r(study_frame: RatingsFrame) -> None:
    """R 4: lm(score ~ generator + annotator + prompt, weights = 1 / annotations of the image).

    Marginal means by model.matrix over all rows; sandwich by rowsum over images, factor 240/239 · 299/285.
    """
    found = adjusted_means(study_frame)
    assert (found["refused"], found["adjusted_for"], found["images"]) == (None, ["annotator", "prompt"], 240)
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


def test_a_strict_annotator_is_taken_out() -> None:
    """bo gives 3/12 more and judged mostly q, which is 2/12 harder: the raw difference is 3.5/12."""
    rows = [("ada", "p")] * 3 + [("bo", "p")] + [("ada", "q")] * 1 + [("bo", "q")] * 3
    made = [
        image(2 * k + g, "xy"[g], a, p, 2 + 3 * (a == "bo") + 2 * (p == "q") + (k == 0) * (1 - 2 * g))
        for k, (a, p) in enumerate(rows)
        for g in (0, 1)
    ]
    found = adjusted_means(framed(*made))
    assert found["refused"] is None
    means = {row["prompt"]: row["mean"]["value"] for row in found["prompts"]}
    assert means["q"] - means["p"] == pytest.approx(2 / 12)


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
    assert adjusted_means(framed(*apart))["prompts_refused"] == PROMPTS_NOT_CONNECTED
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

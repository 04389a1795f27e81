"""Generators crossed with prompts."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.stats.comparison.crossed import generators_by_prompt, interaction_test
from analysis.stats.frames import RatingsFrame
from analysis.stats.images import image_table
from tests.analysis.stats.conftest import framed


@pytest.mark.study
def test_the_published_interaction_is_that_of_r(study_frame: RatingsFrame) -> None:
    """anova(lm(score ~ generator * prompt)) over image means, R 4.2.2."""
    found = generators_by_prompt(image_table(study_frame))
    test = found["interaction"]
    assert (test["df1"], test["df2"]) == (18, 210)
    assert test["f"] == pytest.approx(2.97885, abs=5e-6)
    assert test["p"] == pytest.approx(8.9041e-05, rel=1e-4)
    assert (len(found["prompts"]), found["prompts_left_out"]) == (10, 0)
    salto = next(row for row in found["prompts"] if row["prompt"] == "athlete performing salto")
    assert salto["images"] == 24
    first = salto["generators"][0]
    assert (first["generator"], first["mean"]["n_units"], first["mean"]["n_coders"]) == ("dall-e3", 8, 3)
    assert first["mean"]["value"] == pytest.approx(0.4884375)


def test_an_additive_table_has_no_interaction() -> None:
    treatments, blocks = np.tile([0, 0, 1, 1], 3), np.repeat([0, 1, 2], 4)
    rest = np.tile([-0.1, 0.1], 6)
    found = interaction_test(treatments + 2.0 * blocks + rest, treatments, blocks)
    assert (found["df1"], found["df2"]) == (2, 6)
    assert found["f"] == pytest.approx(0, abs=1e-9)


def test_refusals_say_why() -> None:
    ones, two = np.zeros(4, dtype=np.int64), np.array([0, 0, 1, 1])
    values = np.array([1.0, 2.0, 3.0, 4.0])
    for treatments, blocks, reason in (
        (ones, two, "fewer than 2 generators or prompts"),
        (two, two, "too few combinations of generator and prompt have images"),
        (two, np.array([0, 1, 0, 1]), "no combination of generator and prompt has two images"),
    ):
        assert interaction_test(values, treatments, blocks)["refused"] == reason


def test_nothing_gives_nothing() -> None:
    found = generators_by_prompt(image_table(framed()))
    assert (found["prompts"], found["interaction"]["p"]) == ([], None)

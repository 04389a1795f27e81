"""Treatments within blocks, held against a textbook, R and least squares spelt out."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from analysis.stats.comparison.blocked import additive_test
from analysis.stats.frames import RatingsFrame
from analysis.stats.images import image_table

# R's `sleep`: hours of sleep gained by ten people under two drugs.
SLEEP = (
    [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0],
    [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4],
)


def test_the_randomised_block_design_of_the_textbook() -> None:
    """Montgomery, "Design and Analysis of Experiments", hardness of four tips on four coupons: F = 14.44."""
    coded = np.array([[-2, -1, 1, 5], [-1, -2, 3, 4], [-3, -1, 0, 2], [2, 1, 5, 7]], dtype=np.float64)
    tips, coupons = np.repeat(np.arange(4), 4), np.tile(np.arange(4), 4)
    found = additive_test(coded.ravel(), tips, coupons)
    assert (found["df1"], found["df2"], round(found["f"], 2), round(found["p"], 4)) == (3, 9, 14.44, 0.0009)


@pytest.mark.parametrize("seed", range(5))
def test_unbalanced_images_equal_two_fits_by_least_squares(seed: int) -> None:
    rng = np.random.default_rng(seed)
    generators, prompts = rng.integers(0, 3, 60), rng.integers(0, 7, 60)
    y = generators + rng.normal(size=60) + prompts
    full = np.column_stack([np.eye(3)[generators], np.eye(7)[prompts]])
    rest = [((y - x @ np.linalg.lstsq(x, y)[0]) ** 2).sum() for x in (full[:, 3:], full)]
    found = additive_test(y, generators, prompts)
    df2 = 60 - np.linalg.matrix_rank(full)
    f = (rest[0] - rest[1]) / 2 / (rest[1] / df2)
    assert (found["f"], found["df2"], found["p"]) == pytest.approx((f, df2, stats.f.sf(f, 2, df2)), rel=1e-9)


def test_two_treatments_in_blocks_of_two_are_the_paired_test() -> None:
    """F of two treatments with one value a block is the square of the paired t."""
    found = additive_test(np.concatenate(SLEEP), np.repeat([0, 1], 10), np.tile(np.arange(10), 2))
    pair = stats.ttest_rel(*SLEEP)
    assert (found["f"], found["p"]) == pytest.approx((pair.statistic**2, pair.pvalue))


@pytest.mark.parametrize(
    ("values", "generators", "prompts", "reason"),
    [
        ([1.0, 2.0, 3.0], [0, 0, 0], [0, 1, 2], "fewer than 2 generators"),
        ([1.0, 2.0, 3.0], [0, 1, 1], [0, 0, 0], "fewer than 2 prompts"),
        ([1.0, 2.0, 3.0], [0, 1, 1], [0, 0, 1], "too few images for this many generators and prompts"),
        (
            [1.0, 2, 3, 4, 5, 6],
            [0, 0, 0, 1, 1, 1],
            [0, 0, 0, 1, 1, 1],
            "some generators share no prompt with the others",
        ),
        (
            [1.0, 1, 1, 1, 1, 1],
            [0, 1, 0, 1, 0, 1],
            [0, 0, 1, 1, 1, 1],
            "the scores of images do not vary within generator and prompt",
        ),
        ([], [], [], "fewer than 2 generators"),
    ],
)
def test_refusals(values: list[float], generators: list[int], prompts: list[int], reason: str) -> None:
    codes = (np.array(found, dtype=np.int64) for found in (generators, prompts))
    found = additive_test(np.array(values), *codes)
    assert (found["f"], found["p"], found["refused"]) == (None, None, reason)


@pytest.mark.study
def test_the_published_study(study_frame: RatingsFrame) -> None:
    """`anova_lm(ols("y ~ C(p) + C(g)"), typ=2)` of statsmodels 0.15 gives F = 23.843057, p = 3.956169e-10."""
    table = image_table(study_frame)
    found = additive_test(table.scores, table.codes("generator"), table.codes("prompt"))
    assert (found["df1"], found["df2"]) == (2, 228)
    assert found["f"] == pytest.approx(23.843057, abs=5e-7)
    assert found["p"] == pytest.approx(3.956169e-10, rel=1e-6)

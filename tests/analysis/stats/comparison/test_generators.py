"""Tests between generators, held against scipy, R and textbooks."""

from __future__ import annotations

import numpy as np
import pytest
from analysis.stats.comparison.effects import Sample, hedges_g
from scipy import stats

from analysis.stats.comparison.generators import generator_comparisons
from analysis.stats.comparison.holm import holm
from analysis.stats.comparison.welch import NO_VARIANCE, sample, simultaneous, welch_from
from analysis.stats.frames import RatingsFrame
from analysis.stats.images import image_table
from tests.analysis.stats.conftest import framed, rated


@pytest.mark.parametrize("seed", range(5))
def test_welch_and_its_interval_equal_scipy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = rng.gamma(1, 1, 5 + seed), rng.gamma(2, 3, 40)
    expected = stats.ttest_ind(a, b, equal_var=False)
    found = welch_from(sample(a), sample(b))
    low, high = expected.confidence_interval(0.95)
    assert (found["t"], found["df"], found["p"]) == pytest.approx(
        (expected.statistic, expected.df, expected.pvalue), rel=1e-12
    )
    assert (found["difference"]["low"], found["difference"]["high"]) == pytest.approx((low, high), rel=1e-12)
    assert found["difference"]["value"] == pytest.approx(a.mean() - b.mean())


def test_welch_of_the_sleep_data_equals_r() -> None:
    """`t.test(extra ~ group, data = sleep)` in R: t = -1.8608, df = 17.776, p-value = 0.07939."""
    first = np.array([0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0])
    second = np.array([1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4])
    found = welch_from(sample(first), sample(second))
    assert (round(found["t"], 4), round(found["df"], 3), round(found["p"], 5)) == (-1.8608, 17.776, 0.07939)
    # R's 95 percent confidence interval: -3.3654832 0.2054832
    assert found["difference"]["low"] == pytest.approx(-3.3654832, abs=1e-7)
    assert found["difference"]["high"] == pytest.approx(0.2054832, abs=1e-7)


def test_hedges_g_of_the_textbook() -> None:
    """Borenstein et al. (2009), chapter 4: g = 0.5924 with a variance of 0.0411 (means 103, 100)."""
    found = hedges_g(Sample(50, 103, 5.5**2), Sample(50, 100, 4.5**2))
    assert found["value"] == pytest.approx(0.5924, abs=5e-5)
    half = (found["high"] - found["low"]) / 2 if found["high"] and found["low"] else 0
    assert (half / stats.norm.ppf(0.975)) ** 2 == pytest.approx(0.0411, abs=5e-5)


def test_hedges_g_is_refused_without_images_or_variance() -> None:
    assert hedges_g(Sample(1, 1, 0), Sample(5, 2, 1))["refused"] == "fewer than 2 images on one side"
    assert hedges_g(Sample(2, 1, 0), Sample(5, 2, 0))["refused"] == NO_VARIANCE


def test_holm_equals_r() -> None:
    """`p.adjust(c(0.01, 0.02, 0.03, 0.04), "holm")` in R: 0.04 0.06 0.06 0.06."""
    assert holm([0.03, None, 0.01, 0.04, 0.02]) == [
        pytest.approx(0.06),
        None,
        pytest.approx(0.04),
        pytest.approx(0.06),
        pytest.approx(0.06),
    ]
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


def test_the_image_is_the_unit() -> None:
    """Judging images twice with the same result makes nothing more certain."""
    cells = [{"missing.face": f"1/{k}c"} for k in (2, 3, 5, 7, 9, 4)]
    once = [rated(k, "ada", cell, generator="xy"[k % 2]) for k, cell in enumerate(cells)]
    again = [rated(k, "bo", cell, generator="xy"[k % 2]) for k, cell in enumerate(cells)]
    single, double = (generator_comparisons(image_table(framed(*found))) for found in (once, once + again))
    assert single == double


@pytest.mark.study
def test_the_published_study(study_frame: RatingsFrame) -> None:
    tests = generator_comparisons(image_table(study_frame))
    found = [
        (t["a"], t["b"], round(t["t"], 2), t["p_holm"] < 0.05, round(t["hedges_g"]["value"], 2))
        for t in tests
    ]
    assert found == [
        ("dall-e3", "sdxl", -6.34, True, -1.0),
        ("dall-e3", "stablecascade", -4.14, True, -0.65),
        ("sdxl", "stablecascade", 1.13, False, 0.18),
    ]
    gap = tests[0]["difference"]
    assert (round(gap["value"], 4), round(gap["low"], 4), round(gap["high"], 4)) == (-1.2886, -1.691, -0.8861)


def test_joint_intervals_are_those_of_dunn() -> None:
    """R: for t of 20 degrees of freedom qt(1 - .025/3, 20) is 2.6126, against 2.086 for one difference."""
    found = {"value": 1.0, "low": 1 - 2.085963, "high": 1 + 2.085963, "refused": None}
    test = {"difference": {**found, "n_units": 22, "n_coders": 2, "method": "t"}, "df": 20.0}
    joint = simultaneous(test, 3)
    assert joint["low"] == pytest.approx(1 - 2.612585)
    assert joint["high"] == pytest.approx(1 + 2.612585)
    assert simultaneous(test, 1)["low"] == pytest.approx(found["low"])
    undefined = {"difference": {**found, "low": None, "high": None, "refused": "why"}, "df": None}
    assert simultaneous(undefined, 3)["refused"] == "why"

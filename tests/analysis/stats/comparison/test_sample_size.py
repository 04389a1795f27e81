"""Sizes needed for a difference, held against R."""

from __future__ import annotations

import pytest

from analysis.stats.comparison.mixed import mixed_model
from analysis.stats.comparison.sample_size import _between, needed, sample_size
from analysis.stats.frames import RatingsFrame
from analysis.stats.images import image_table
from tests.analysis.stats.conftest import framed, rated


@pytest.mark.parametrize(
    ("difference", "two_samples", "paired"),
    [
        (0.25, 493.2439, 248.0678),
        (0.5, 124.0381, 63.48258),
        (0.75, 55.67481, 29.32764),
        (1, 31.75716, 17.4019),
    ],
)
def test_sizes_are_those_of_r(difference: float, two_samples: float, paired: float) -> None:
    """R: power.t.test(delta = difference, sd = 1.4, power = 0.8, type = …)$n."""
    assert needed(difference / 1.4) == pytest.approx(two_samples, rel=1e-5)
    assert needed(difference / 1.4, paired=True) == pytest.approx(paired, rel=1e-5)


def test_extreme_differences() -> None:
    assert needed(50) == 2
    assert needed(0.001) == pytest.approx(2 * (1.959964 + 0.841621) ** 2 * 1e6, rel=1e-5)


@pytest.mark.study
def test_the_published_study(study_frame: RatingsFrame) -> None:
    """The standard deviation is the root of the mean of three variances; prompts have lme4's components.

    2 · (0.5508² + (0.6351² + 0.8152² / 1.25) / 8) is 0.8403; R: power.t.test(delta = 1, sd = 0.9167,
    power = 0.8, type = "paired")$n is 8.71.
    """
    found = sample_size(image_table(study_frame), mixed_model(study_frame))
    assert found["standard_deviation"] == pytest.approx(1.53055, abs=1e-5)
    assert found["images_per_prompt"] == 8
    assert found["rows"][-1] == {
        "difference": 1.0,
        "images": 38,
        "low": 27,
        "high": 54,
        "prompts": 9,
        "prompts_low": 6,
        "prompts_high": 17,
    }


def test_the_interval_of_prompts_is_that_of_chi_square() -> None:
    """Of a variance of 0.8403 with 18 degrees of freedom; printed tables have 31.526 and 8.231."""
    low, high = _between(0.8403, {"pairs": [{"df": None}, {"df": 18}, {"df": 40}]})
    assert low == pytest.approx(18 * 0.8403 / 31.526, rel=1e-4)
    assert high == pytest.approx(18 * 0.8403 / 8.231, rel=1e-4)
    assert _between(0.8403, {"pairs": [{"df": None}]}) == (None, None)
    assert _between(None, {"pairs": [{"df": 18}]}) == (None, None)


def test_refusals() -> None:
    one = framed(*(rated(k, "a", {"missing.face": f"1/{k + 1}c"}) for k in range(6)))
    found = sample_size(image_table(one), mixed_model(one))
    assert found["refused"] == "fewer than 2 generators with 2 images whose scores vary"
    assert found["rows"] == []
    rows = [rated(k, "a", {"missing.face": f"1/{k + 1}c"}, generator="xy"[k % 2]) for k in range(8)]
    found = sample_size(image_table(framed(*rows)), mixed_model(framed(*rows)))
    assert found["images_per_prompt"] is None
    assert {row[key] for row in found["rows"] for key in ("prompts", "prompts_low", "prompts_high")} == {None}

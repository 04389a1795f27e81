"""Intervals of variance components: chi-squared where it is exact, and none where there is nothing."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from analysis.stats.frames import Floats
from analysis.stats.mixed_fits import MixedFit, fit
from analysis.stats.mixed_models import BLOCK, CELL, IMAGE, RESIDUAL
from analysis.stats.variance_components import NOT_TOLD_APART, ZERO, deviation_estimate, share_estimate
from tests.analysis.stats.test_mixed_models import YIELDS, numbers, one_mean

ABOUT = {"n_units": 6, "n_coders": 1}


def of_images(values: Floats, images: int) -> MixedFit:
    each = len(values) // images
    return fit(one_mean(values, [], np.repeat(np.arange(images), each)), (CELL, BLOCK))


def test_a_balanced_residual_has_the_interval_of_analysis_of_variance() -> None:
    """R: sqrt(24 * 2451.25 / qchisq(c(.975, .025), 24)), of lme4's Dyestuff."""
    found = deviation_estimate(of_images(numbers(YIELDS), 6), RESIDUAL, ABOUT)
    assert (found["value"], found["low"], found["high"]) == pytest.approx(
        (49.5101, 38.658891, 68.876083), rel=1e-4
    )
    assert (found["refused"], found["n_units"], found["n_coders"]) == (None, 6, 1)


def share(place: int) -> Callable[[Floats], float]:
    return lambda variances: float(variances[place] / variances.sum())


def test_a_component_that_is_not_there_has_no_interval() -> None:
    found = of_images(np.array([0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.1]), 4)
    for estimate in (deviation_estimate(found, IMAGE, ABOUT), share_estimate(found, share(IMAGE), ABOUT)):
        assert estimate["value"] == pytest.approx(0, abs=1e-4)
        assert (estimate["low"], estimate["high"], estimate["refused"]) == (None, None, ZERO)


@pytest.mark.parametrize("error", [800.0, math.inf, math.nan])
def test_components_that_cannot_be_told_apart_have_no_interval(
    monkeypatch: pytest.MonkeyPatch, error: float
) -> None:
    """A standard error of 800 logits ended the whole report."""
    found = of_images(numbers(YIELDS), 6)
    monkeypatch.setattr(MixedFit, "delta", lambda *_: error)
    for estimate in (deviation_estimate(found, IMAGE, ABOUT), share_estimate(found, share(IMAGE), ABOUT)):
        assert (estimate["low"], estimate["high"], estimate["refused"]) == (None, None, NOT_TOLD_APART)
        assert estimate["value"] is not None


@pytest.mark.slow  # 300 fits of each.
def test_the_interval_of_an_image_s_share_needs_scores_that_are_not_skewed() -> None:
    """Of log-normal scores the delta method holds after log(1 + score), and not before (fault 10)."""
    rng, held = np.random.default_rng(10), {"score": 0, "log": 0}
    truth = {"log": 0.8**2 / (0.8**2 + 0.6**2), "score": SKEWED}
    codes = np.repeat(np.arange(60), 2)
    for _ in range(300):
        logs = 0.8 * rng.normal(size=60)[codes] + 0.6 * rng.normal(size=120)
        for name, values in (("score", np.expm1(logs)), ("log", logs)):
            found = share_estimate(of_images(values, 60), share(IMAGE), ABOUT)
            low, high = found["low"], found["high"]
            held[name] += low is not None and high is not None and low <= truth[name] <= high
    assert held["log"] / 300 > 0.91
    assert held["score"] / 300 < 0.9


SKEWED = math.expm1(0.8**2) / math.expm1(0.8**2 + 0.6**2)
"""The share of exp(image + residual) that is due to the image: cov / var of log-normal values."""

"""REML and intervals of its components, against lme4 1.1-31, lmerTest 3.1-3 and R."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from analysis.stats.frames import Floats, Ints
from analysis.stats.mixed_fits import MixedFit, fit
from analysis.stats.mixed_models import BLOCK, CELL, CROSSED, IMAGE, RESIDUAL, MixedModel, model_of
from analysis.stats.variance_components import NOT_TOLD_APART, ZERO, deviation_estimate, share_estimate

# lme4's Penicillin: diameters of 24 plates by 6 samples (Davies and Goldsmith 1972).
DIAMETERS = (
    "27 23 26 23 23 21 27 23 26 23 23 21 25 21 25 24 24 20 26 23 25 23 23 20 25 22 26 22 23 20 "
    "24 22 25 23 22 19 24 20 23 21 22 19 26 22 26 24 24 21 24 21 24 22 22 20 24 21 24 23 22 19 "
    "26 23 26 24 24 21 25 22 26 24 24 20 26 24 26 24 25 22 26 23 26 23 23 20 26 23 25 24 24 22 "
    "25 22 25 23 23 20 25 21 24 23 23 20 25 22 24 23 23 19 24 21 23 21 21 19 26 23 26 24 24 21 "
    "25 21 24 22 22 18 25 22 25 22 22 20 24 21 24 22 24 19 24 21 24 22 21 18"
)
# lme4's Dyestuff: yields of 6 batches of 5 (Davies 1947).
YIELDS = (
    "1545 1440 1440 1520 1580 1540 1555 1490 1560 1495 1595 1550 1605 1510 1560 "
    "1445 1440 1595 1465 1545 1595 1630 1515 1635 1625 1520 1455 1450 1480 1445"
)


def numbers(text: str) -> Floats:
    return np.array([float(number) for number in text.split()])


def one_mean(values: Floats, factors: list[Ints], images: Ints) -> MixedModel:
    """A model with only a mean, factors and images."""
    nothing = np.zeros(len(values), dtype=np.int64)
    return model_of(values, np.ones((len(values), 1)), factors, images, nothing, nothing)


def test_one_factor_is_that_of_lme4() -> None:
    found = fit(one_mean(numbers(YIELDS), [], np.repeat(np.arange(6), 5)), (CELL, BLOCK))
    assert found.deviance == pytest.approx(319.6542768, abs=1e-6)
    assert found.variances[[IMAGE, RESIDUAL]] == pytest.approx([1764.05, 2451.25], rel=1e-5)
    mean = found.contrast(np.ones(1))
    assert mean.value == pytest.approx(1527.5)
    assert mean.standard_error == pytest.approx(19.38341, rel=1e-5)
    # Balanced, one factor: the degrees of freedom between batches.
    assert mean.df == pytest.approx(5, rel=1e-3)


@pytest.mark.parametrize("turned", [False, True])
def test_crossed_factors_are_those_of_lme4(turned: bool) -> None:
    plates, samples = np.repeat(np.arange(24), 6), np.tile(np.arange(6), 24)
    images, factor = (samples, plates) if turned else (plates, samples)
    order = np.argsort(images, kind="stable")
    found = fit(one_mean(numbers(DIAMETERS)[order], [factor[order]], images[order]), (CELL, BLOCK))
    assert found.deviance == pytest.approx(330.860589, abs=1e-6)
    places = (CROSSED, IMAGE) if turned else (IMAGE, CROSSED)
    assert found.variances[[*places, RESIDUAL]] == pytest.approx([0.7169051, 3.7311318, 0.3024150], rel=1e-4)
    mean = found.contrast(np.ones(1))
    assert mean == pytest.approx((22.97222222, 0.8085953614, 5.486592362), rel=1e-4)


def test_a_component_that_is_not_there_is_zero() -> None:
    # Two annotations of an image differ by more than images do.
    values = np.array([0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.1])
    found = fit(one_mean(values, [], np.repeat(np.arange(4), 2)), (CELL, BLOCK))
    assert found.variances[IMAGE] == pytest.approx(0, abs=1e-9)
    assert found.contrast(np.ones(1)).df == pytest.approx(7, rel=1e-3)


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

"""Correlations of scores and kappa of bands, with intervals beside those of scipy.

`scipy.stats.bootstrap` with BCa draws other resamples, so limits agree to a few hundredths. Its level is that
of the expanded percentiles, see `analysis.stats.bootstrap_intervals`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from analysis.stats.agreement.associations import _pearson, correlations, weighted_kappa
from analysis.stats.bootstrap_intervals import effective_df, expanded_tail
from analysis.stats.estimates import Estimate
from analysis.stats.frames import Floats, RatingsFrame
from analysis.stats.pairs import shared_images
from analysis.stats.rank_correlation import spearman
from tests.analysis.stats.conftest import framed, rated


def limits(found: Estimate) -> tuple[float | None, float | None]:
    return found["low"], found["high"]


def of_scipy(statistic: Callable[[Floats, Floats], float], x: Floats, y: Floats) -> tuple[float, float]:
    """The BCa interval of scipy at the level of the expanded percentiles."""
    kept = ~np.eye(len(x), dtype=np.bool_)
    without = np.array([[statistic(x[one], y[one])] for one in kept])
    tail = expanded_tail(len(x), float(effective_df(without)[0]))
    found = stats.bootstrap(
        (x, y),
        statistic,
        paired=True,
        vectorized=False,
        n_resamples=5000,
        confidence_level=1 - 2 * tail,
        method="BCa",
        rng=np.random.default_rng(1),
    )
    return float(found.confidence_interval.low), float(found.confidence_interval.high)


@pytest.mark.study
def test_correlations_of_the_published_study(study_frame: RatingsFrame) -> None:
    """R 4.2.2, boot 1.3: BCa, 20,000 resamples of images, gives 0.425 to 0.826 and 0.286 to 0.715.

    That is before percentiles are expanded, which makes intervals a little longer.
    """
    shared = shared_images(study_frame)
    x, y = study_frame.scores[shared.first], study_frame.scores[shared.second]
    found = correlations(study_frame, shared)["correlations"]
    pearson, ranked = found["pearson"], found["spearman"]
    assert (pearson["value"], ranked["value"]) == pytest.approx((0.6677332, 0.5367203), abs=1e-7)
    assert (pearson["n_units"], pearson["n_coders"]) == (60, 4)
    assert limits(pearson) == pytest.approx((0.4253, 0.8263), abs=0.05)
    assert limits(ranked) == pytest.approx((0.2863, 0.7148), abs=0.03)
    assert limits(pearson) == pytest.approx(
        of_scipy(lambda a, b: float(np.corrcoef(a, b)[0, 1]), x, y), abs=0.03
    )


def test_an_image_with_several_pairs_is_resampled_whole() -> None:
    """The same pair twice in every image is no more evidence: resampled one by one, it would be."""
    rng = np.random.default_rng(5)
    x, images = rng.integers(0, 9, 30).astype(np.float64), np.arange(30)
    y = x + rng.integers(-3, 4, 30)
    xx, yy, both = np.tile(x, 2), np.tile(y, 2), np.tile(images, 2)
    twice = _pearson(xx, yy, both, 2)
    assert limits(twice) == pytest.approx(limits(_pearson(x, y, images, 2)))
    assert twice["n_units"] == 30
    ranked = spearman(xx, yy, 2, both)
    assert limits(ranked) == pytest.approx(limits(spearman(x, y, 2)))
    assert ranked["n_units"] == 30


def test_few_images_and_equal_scores_are_refused() -> None:
    few = framed(*(rated(i, who, {}) for i in range(4) for who in "ab"))
    found = correlations(few, shared_images(few))
    assert (found["pearson"], found["correlations"]["pearson"]["refused"]) == (None, "too few: 4 images")
    equal = framed(*(rated(i, who, {}) for i in range(9) for who in "ab"))
    found = correlations(equal, shared_images(equal))
    assert (found["spearman"], found["correlations"]["spearman"]["refused"]) == (None, "all scores are equal")


def test_kappa_of_bands() -> None:
    """psych::cohen.kappa of the same bands: 0.07894736842, here twice, which changes no share."""
    first, second = np.array([0, 2, 2, 0, 0, 0, 1] * 2), np.array([0, 0, 1, 0, 0, 2, 2] * 2)
    found = weighted_kappa(first, second)
    assert found["value"] == pytest.approx(0.07894736842)
    assert dict(found)["caution"] == "bands cut from as few as 14 scores: alpha is too low on average"
    assert weighted_kappa(first, first)["value"] == 1
    assert weighted_kappa(first * 0, second * 0)["refused"] == "all scores are in one band"
    few = weighted_kappa(first[:7], second[:7])
    assert (few["value"], few["refused"]) == (None, "bands cut from 7 scores; at least 8 are needed")
    assert "caution" not in few


def test_the_interval_of_kappa_is_that_of_scipy() -> None:
    rng = np.random.default_rng(2)
    first = rng.integers(0, 3, 60)
    second = np.where(rng.random(60) < 0.5, first, rng.integers(0, 3, 60))
    found = weighted_kappa(first, second)
    assert "caution" not in found

    def kappa(a: Floats, b: Floats) -> float:
        return float(1 - ((a - b) ** 2).mean() / ((a[:, None] - b) ** 2).mean())

    bands = first.astype(np.float64), second.astype(np.float64)
    assert found["value"] == pytest.approx(kappa(*bands))
    assert limits(found) == pytest.approx(of_scipy(kappa, *bands), abs=0.03)

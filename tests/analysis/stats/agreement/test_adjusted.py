"""Adjusted alpha with means and spreads estimated anew, against the library on resampled studies."""

from __future__ import annotations

import krippendorff
import numpy as np
import pytest

from analysis.stats.agreement import adjusted
from analysis.stats.agreement.adjusted import adjusted_estimates
from analysis.stats.agreement.agreement import agreement
from analysis.stats.agreement.pooled import pooled_units
from analysis.stats.agreement.values import values_of
from analysis.stats.estimates import LEAST
from analysis.stats.frames import Floats, RatingsFrame
from analysis.stats.pairs import shared_images
from tests.analysis.stats.agreement.test_agreement import random_frame
from tests.analysis.stats.conftest import scored


def by_the_library(frame: RatingsFrame, weights: list[int]) -> tuple[float, float]:
    """Adjusted alpha and its difference from raw alpha, each image drawn as often as its weight says."""
    images, annotators, scores = frame.image_codes, frame.codes("annotator"), frame.scores
    wide = np.full((annotators.max() + 1, images.max() + 1), np.nan)
    wide[annotators, images] = scores
    drawn = np.repeat(wide, weights, axis=1)
    centred = drawn - np.nanmean(drawn, axis=1, keepdims=True)
    z = centred / np.nanstd(drawn, axis=1, ddof=1, keepdims=True)
    alpha = krippendorff.alpha(z, level_of_measurement="interval")
    return alpha, alpha - krippendorff.alpha(drawn, level_of_measurement="interval")


def sums_of(frame: RatingsFrame) -> tuple[Floats, adjusted._Layout]:
    judged, shared = values_of(frame), shared_images(frame)
    usable = np.bincount(frame.image_codes[~np.isnan(judged.adjusted)])
    return adjusted._sums(frame, judged, shared, pooled_units(frame, judged)[0], usable)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.few(2)
def test_a_resample_is_the_librarys_alpha_of_new_z_scores(seed: int) -> None:
    """Images of one to four annotators, so that single scores move means and spreads too."""
    frame = random_frame(seed, annotators=4, images=30)
    rows, layout = sums_of(frame)
    rng = np.random.default_rng(seed)
    for _ in range(5):
        weights = rng.multinomial(30, np.full(30, 1 / 30))
        found = adjusted._of_moments(weights @ rows, layout)
        assert found.tolist() == pytest.approx(by_the_library(frame, weights.tolist()), abs=1e-12)


def test_annotators_without_spread_count_in_neither_mean_nor_pairs() -> None:
    ada = {image: str(image % 5) for image in range(20)}
    bo = {image: str((image + image % 3) % 6) for image in range(20)}
    with_cy = scored({"ada": ada, "bo": bo, "cy": dict.fromkeys(range(20), "1")})
    rows, layout = sums_of(with_cy)
    alpha, _ = by_the_library(scored({"ada": ada, "bo": bo}), [1] * 20)
    assert adjusted._of_moments(rows.sum(axis=0), layout)[0] == pytest.approx(alpha, abs=1e-12)


def strict_and_lenient(shift: int) -> RatingsFrame:
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 20, 60)
    return scored(
        {
            name: {i: str(int(value) + more) for i, value in enumerate(truth + rng.integers(0, 6, 60))}
            for name, more in (("ada", 0), ("bo", shift))
        }
    )


@pytest.mark.thorough
def test_the_difference_is_above_zero_where_one_is_stricter() -> None:
    gap = agreement(strict_and_lenient(8))["adjusted_minus_raw"]
    assert gap["low"] is not None
    assert gap["low"] > 0.3
    equal = agreement(strict_and_lenient(0))["adjusted_minus_raw"]
    assert equal["low"] is not None
    assert equal["high"] is not None
    # Both judge every image, so adjusted alpha is never lower.
    assert 0 < equal["low"] < equal["high"] < LEAST
    assert gap["n_units"] == 60


def test_many_pairs_keep_their_means_and_spreads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adjusted, "MOST_PAIRS", 0)
    report = agreement(strict_and_lenient(8))
    assert report["adjusted_minus_raw"]["refused"] == "too few images, or too many pairs of annotators"
    assert report["adjusted_minus_raw"]["value"] is not None
    assert report["pooled"]["cumulative_score_adjusted"]["low"] is not None


def test_few_images_are_left_to_the_jackknife() -> None:
    frame = scored({"ada": {i: str(i) for i in range(6)}, "bo": {i: str(i * i % 5) for i in range(6)}})
    judged, shared = values_of(frame), shared_images(frame)
    pooled, coders = pooled_units(frame, judged)
    assert adjusted_estimates(frame, judged, shared, pooled, coders, (0.5, 0.5)) is None

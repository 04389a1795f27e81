"""Intervals for other annotators, and of the mean of pairs, against leaving out with the library."""

from __future__ import annotations

from itertools import combinations

import krippendorff
import numpy as np
import pytest
from scipy import stats

from analysis.stats.agreement.agreement import agreement
from analysis.stats.agreement.mean_of_pairs import NO_PAIR
from analysis.stats.bootstrap_intervals import effective_df
from analysis.stats.frames import Floats, RatingsFrame
from tests.analysis.stats.conftest import scored

# qt(0.975, 3) of R.
T3 = 3.182446305


def by_pairs(images: int = 48, annotators: str = "abcd") -> RatingsFrame:
    """Every image is judged by two annotators, pair after pair; they differ in leniency."""
    rng = np.random.default_rng(8)
    pairs = list(combinations(range(len(annotators)), 2))
    scores: dict[str, dict[int, str]] = {name: {} for name in annotators}
    for image in range(images):
        truth = int(rng.integers(0, 30))
        for place in pairs[image % len(pairs)]:
            scores[annotators[place]][image] = str(truth + int(rng.integers(0, 12)) + 4 * place)
    return scored(scores)


def wide_of(frame: RatingsFrame) -> Floats:
    annotators, images = frame.codes("annotator"), frame.image_codes
    wide = np.full((annotators.max() + 1, images.max() + 1), np.nan)
    wide[annotators, images] = frame.scores
    return wide


def alpha(wide: Floats) -> float:
    return float(krippendorff.alpha(wide, level_of_measurement="interval"))


def jackknifed(values: list[float]) -> float:
    """The variance that the jackknife gives (Efron and Tibshirani 1993, equation 11.5)."""
    found, n = np.array(values), len(values)
    return float((n - 1) / n * ((found - found.mean()) ** 2).sum())


@pytest.mark.thorough
def test_images_and_annotators_are_left_out_in_turn() -> None:
    frame = by_pairs()
    wide = wide_of(frame)
    of_images = jackknifed([alpha(np.delete(wide, image, axis=1)) for image in range(48)])
    of_annotators = jackknifed([alpha(np.delete(wide, person, axis=0)) for person in range(4)])
    reach = T3 * np.sqrt(max(of_images, of_annotators - of_images))
    found = agreement(frame)["over_annotators"]["cumulative_score"]
    assert found["value"] == pytest.approx(alpha(wide))
    assert found["low"] == pytest.approx(alpha(wide) - reach)
    assert found["high"] == pytest.approx(min(alpha(wide) + reach, 1))
    assert found["method"] == "two-way jackknife over images and annotators"
    assert (found["n_units"], found["n_coders"]) == (48, 4)


@pytest.mark.thorough
def test_other_annotators_make_the_interval_longer() -> None:
    report = agreement(by_pairs())
    over, among = report["over_annotators"]["cumulative_score"], report["pooled"]["cumulative_score"]
    assert over["low"] is not None
    assert among["low"] is not None
    assert over["low"] < among["low"]


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("annotators", "reason"), [("ab", "2 annotators"), ("abc", "3 annotators"), ("abcde", None)]
)
def test_few_annotators_have_no_interval_and_say_so(annotators: str, reason: str | None) -> None:
    found = agreement(by_pairs(40, annotators))["over_annotators"]
    expected = reason and f"too few: {reason}; at least 4 are needed"
    assert found["cumulative_score"]["refused"] == expected


def test_what_hangs_on_one_annotator_is_said() -> None:
    """Without ada, everybody gives every image a 1."""
    others = {name: dict.fromkeys(range(12), "1") for name in ("bo", "cy", "di")}
    found = agreement(scored({"ada": {i: str(i % 4) for i in range(12)}, **others}))["over_annotators"]
    assert (
        found["cumulative_score"]["refused"]
        == "it hangs on a single annotator: without them there is no value"
    )
    assert found["cumulative_score"]["value"] is not None


@pytest.mark.thorough
def test_the_mean_of_pairs_leaves_out_each_image_in_turn() -> None:
    frame = by_pairs()
    wide = wide_of(frame)

    def mean(kept: Floats) -> float:
        alphas = []
        for a, b in combinations(range(4), 2):
            both = kept[[a, b]][:, ~np.isnan(kept[[a, b]]).any(axis=0)]
            alphas.append(alpha(both))
        return float(np.mean(alphas))

    without = [mean(np.delete(wide, image, axis=1)) for image in range(48)]
    report = agreement(frame)
    found = report["mean_of_pairs_estimates"]["cumulative_score"]
    assert found["value"] == report["mean_of_pairs"]["cumulative_score"] == pytest.approx(mean(wide))
    assert found["low"] is not None
    (df,) = effective_df(np.array(without)[:, None])
    reach = stats.t.ppf(0.975, df) * np.sqrt(jackknifed(without))
    assert found["low"] == pytest.approx(mean(wide) - reach)
    assert (found["n_units"], found["n_coders"]) == (48, 4)


def test_a_mean_without_pairs_says_so() -> None:
    found = agreement(scored({"a": {1: "1"}, "b": {1: "2"}}))["mean_of_pairs_estimates"]
    assert {(each["value"], each["refused"]) for each in found.values()} == {(None, NO_PAIR)}

"""What the figures draw."""

from __future__ import annotations

import numpy as np
import pytest
from analysis.stats.comparison.distributions import distributions, histogram, severity_sums, shape
from scipy import stats

from analysis.stats.frames import RatingsFrame
from tests.analysis.stats.conftest import framed, rated


def test_a_histogram_has_round_steps_and_loses_nothing() -> None:
    values = np.array([0.0, 0.1, 0.2, 0.3, 0.3, 0.7, 1.0, 2.4])
    found = histogram(values)
    step = found["edges"][1]
    assert step in (0.5, 1.0)
    assert sum(found["counts"]) == 8
    assert found["edges"] == [k * step for k in range(len(found["counts"]) + 1)]
    assert found["counts"] == np.histogram(values, bins=found["edges"])[0].tolist()


def test_histograms_of_one_value() -> None:
    assert histogram(np.zeros(3)) == {"edges": [0.0, 0.001], "counts": [3]}
    assert sum(histogram(np.full(2, 7.3))["counts"]) == 2


def test_a_shape_is_scotts_density_between_the_extremes() -> None:
    values = np.random.default_rng(1).gamma(1, 1, 80)
    found = shape(values)
    grid, heights = zip(*found["density"], strict=True)
    assert (grid[0], grid[-1], len(grid)) == (values.min(), values.max(), 64)
    assert heights == pytest.approx(stats.gaussian_kde(values)(grid))
    assert found["points"] == sorted(values.tolist())
    assert (found["median"], found["q3"]) == (np.median(values), np.quantile(values, 0.75))


def test_a_shape_of_very_many_values_stays_small_and_near() -> None:
    values = np.random.default_rng(2).gamma(2, 1, 50_000)
    found = shape(values)
    assert (len(found["points"]), found["n"]) == (120, 50_000)
    assert (found["points"][0], found["points"][-1]) == (values.min(), values.max())
    grid, heights = zip(*found["density"], strict=True)
    assert heights == pytest.approx(stats.gaussian_kde(values)(grid), abs=2e-3)


@pytest.mark.parametrize("zeros", [0, 40, 160, 196])
def test_the_density_is_that_of_the_whole_sample_however_often_a_value_comes(zeros: int) -> None:
    """scipy takes weighted values for fewer: given counts, it would draw 80% of zeros 66% too wide."""
    rng = np.random.default_rng(zeros)
    values = np.concatenate([np.zeros(zeros), rng.integers(1, 30, 200 - zeros) / 10])
    grid, heights = zip(*shape(values)["density"], strict=True)
    assert heights == pytest.approx(stats.gaussian_kde(values)(grid), rel=1e-9)


@pytest.mark.parametrize("values", [[1.5], [1.5, 1.5]])
def test_equal_values_have_no_density(values: list[float]) -> None:
    found = shape(np.array(values))
    assert (found["density"], found["points"], found["median"]) == ([], values, 1.5)


def test_sums_add_up_to_all_marks() -> None:
    frame = framed(
        rated(1, "ada", {"missing.face": "1/2c", "extra.hands": "1/4a"}, generator="x", prompt="q"),
        rated(1, "bo", {"missing.face": "1/1c"}, generator="x", prompt="q"),
        rated(2, "bo", {"missing.torso": "1/5b"}, generator="y", prompt="r"),
    )
    found = severity_sums(frame)
    assert (found["generators"], found["prompts"]) == (["x", "y"], ["q", "r"])
    types, parts = np.array(found["error_types"]), np.array(found["body_parts"])
    assert types.shape == parts.shape == (2, 2, 5, 3)
    assert types[0, 0, 0].tolist() == [0, 0, 1.5]
    assert types[0, 0, 1].tolist() == [0.25, 0, 0]
    assert parts[0, 0, 4].tolist() == [0, 0, 1.5]
    assert parts[1, 1, 0].tolist() == [0, 0.2, 0]
    assert types.sum() == parts.sum() == pytest.approx(1.95)


def test_too_many_prompts_are_refused() -> None:
    rows = [rated(k, "ada", {}, generator=f"g{k % 21}", prompt=f"p{k:03}") for k in range(100)]
    assert severity_sums(framed(*rows))["refused"] == "too many: 21 generators × 100 prompts"
    assert distributions(framed(*rows))["prompts"] == []


@pytest.mark.study
def test_the_published_bands(study_frame: RatingsFrame) -> None:
    """Quantiles of scores, as docs/reference/reproduction.md has them."""
    bands = {e["generator"]: (e["low"], e["medium"], e["high"]) for e in distributions(study_frame)["bands"]}
    assert bands == {"dall-e3": (75, 17, 8), "sdxl": (28, 34, 38), "stablecascade": (49, 21, 30)}


def test_bands_leave_out_annotators_with_few_scores() -> None:
    """ada has 9 scores, bo 7: below 8, quantiles say little."""
    rows = [rated(i, "ada", {"missing.face": f"{i}/12c"} if i else {}, generator="g") for i in range(9)]
    rows += [rated(20 + i, "bo", {"missing.face": "1/1c"}, generator="h") for i in range(7)]
    found = distributions(framed(*rows))
    assert found["bands"] == [
        {"generator": "g", "low": 5, "medium": 2, "high": 2},
        {"generator": "h", "low": 0, "medium": 0, "high": 0},
    ]
    assert found["bands_cut"] == {
        "fewest": 8,
        "scores": 9,
        "annotations_left_out": 7,
        "annotators_left_out": 1,
        "caution": "bands cut from as few as 9 scores: uncertain",
    }
    nothing = distributions(framed(*rows[9:]))["bands_cut"]
    assert (nothing["scores"], nothing["caution"], nothing["annotations_left_out"]) == (None, None, 7)

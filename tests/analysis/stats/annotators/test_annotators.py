"""Leniency, severity mix and drift: by hand, and from annotators whose habits are known."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.stats.agreement.groups import NO_TIMES
from analysis.stats.annotators.annotators import annotators
from analysis.stats.annotators.drift import drift
from analysis.stats.frames import RatingsFrame
from tests.analysis.stats.conftest import framed, rated

HOUR = 3_600_000_000
PLANTED = "missing.limbs"
IMAGES = 600


@pytest.mark.parametrize(
    ("detection", "leniency"), [(0.94, 0.0), (0.8, 0.5), (0.9, -0.45), (0.72, 0.15)], ids=str
)
@pytest.mark.few(2)
def test_planted_habits_come_back_inside_the_intervals(detection: float, leniency: float) -> None:
    """One planted error an image, which `someone` notices and calls one step milder with these chances."""
    rng = np.random.default_rng(7)
    shifted = "a" if leniency > 0 else "c"
    rows = []
    for image in range(IMAGES):
        severity = shifted if rng.random() < abs(leniency) else "b"
        rows.append(rated(image, "someone", {PLANTED: f"1/4{severity}"} if rng.random() < detection else {}))
        rows.append(rated(image, "truth", {PLANTED: "1/4b"}))
    someone, truth = annotators(framed(*rows))["annotators"]
    found, step = someone["found"], someone["severity_step"]
    assert found["value"] == pytest.approx(detection, abs=0.03)
    assert found["low"] - 0.01 < detection < found["high"] + 0.01
    assert step["value"] == pytest.approx(-leniency, abs=0.05)
    if leniency:
        assert step["low"] < -leniency < step["high"]
    assert truth["alone"]["value"] == pytest.approx(1 - found["value"])
    assert truth["against_others"]["value"] == pytest.approx(-someone["against_others"]["value"])


def test_a_small_study_by_hand() -> None:
    ada = [rated(i, "ada", {"missing.limbs": "1/4c", "extra.hands": "1/2a"}) for i in range(6)]
    bo = [rated(i, "bo", {"missing.limbs": "1/4b"} if i else {}) for i in range(6)]
    first, second = annotators(framed(*ada, *bo, rated(9, "ada", {})))["annotators"]
    assert (first["annotator"], first["images"], first["shared_images"]) == ("ada", 7, 6)
    assert first["level"]["value"] == pytest.approx(6 * 0.35 / 7)
    assert first["marks"]["value"] == pytest.approx(12 / 7)
    assert {key: part["value"] for key, part in first["severity_mix"].items()} == {
        "a": 0.5,
        "b": 0.0,
        "c": 0.5,
    }
    assert first["against_others"]["value"] == pytest.approx(0.35 - 5 * 0.125 / 6)
    assert first["severity_step"]["value"] == pytest.approx(1.0)
    assert second["severity_step"]["value"] == pytest.approx(-1.0)
    assert first["found"]["value"] == 1.0
    assert first["alone"]["value"] == pytest.approx(7 / 12)
    assert second["found"]["value"] == pytest.approx(5 / 12)
    assert second["against_others"]["n_coders"] == 2


def test_the_slope_is_that_of_least_squares() -> None:
    rng = np.random.default_rng(4)
    scores = 1 + 0.02 * np.arange(60) + rng.normal(0, 0.1, 60)
    order = rng.permutation(60)
    found = drift(scores[order], order.astype(np.int64) * HOUR)
    slope = np.polyfit(np.arange(60) / 10, scores, 1)[0]
    assert found["slope"]["value"] == pytest.approx(slope)
    assert found["slope"]["low"] < 0.2 < found["slope"]["high"]
    assert [third["value"] for third in found["thirds"]] == pytest.approx(
        [part.mean() for part in np.array_split(scores, 3)]
    )
    assert found["slope"]["low"] > 0


def test_no_drift_without_times_or_with_few_images() -> None:
    assert drift(np.ones(40), np.full(40, -1))["refused"] == (NO_TIMES)
    assert drift(np.ones(14), np.arange(14))["refused"] == "too few: 14 images"
    known = np.where(np.arange(40) < 20, np.arange(40), -1)
    assert drift(np.arange(40.0), known)["images"] == 20


@pytest.mark.study
def test_the_published_study(study_frame: RatingsFrame) -> None:
    found = annotators(study_frame)["annotators"]
    assert [round(entry["level"]["value"], 4) for entry in found] == [2.3183, 1.2173, 1.9408, 0.7735]
    assert [round(entry["against_others"]["value"], 4) for entry in found] == [
        0.8243,
        -0.2884,
        0.601,
        -1.1369,
    ]
    assert sum(entry["against_others"]["value"] for entry in found) == pytest.approx(0, abs=1e-9)

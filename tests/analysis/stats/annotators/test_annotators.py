"""Differences from others: by hand, and from annotators whose habits are known."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.stats.annotators.annotators import annotators
from analysis.stats.frames import RatingsFrame
from tests.analysis.stats.conftest import framed, rated

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
    assert first["against_others"]["value"] == pytest.approx(0.35 - 5 * 0.125 / 6)
    assert first["severity_step"]["value"] == pytest.approx(1.0)
    assert second["severity_step"]["value"] == pytest.approx(-1.0)
    assert first["found"]["value"] == 1.0
    assert first["alone"]["value"] == pytest.approx(7 / 12)
    assert second["found"]["value"] == pytest.approx(5 / 12)
    assert second["against_others"]["n_coders"] == 2


@pytest.mark.study
def test_the_published_study(study_frame: RatingsFrame) -> None:
    found = annotators(study_frame)["annotators"]
    assert [round(entry["against_others"]["value"], 4) for entry in found] == [
        0.8243,
        -0.2884,
        0.601,
        -1.1369,
    ]
    assert sum(entry["against_others"]["value"] for entry in found) == pytest.approx(0, abs=1e-9)

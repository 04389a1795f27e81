"""Leniency, severity mix and drift: by hand, and from annotators whose habits are known."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.stats.agreement.groups import NO_TIMES
from analysis.stats.annotators.annotators import annotators
from analysis.stats.annotators.drift import drift
from analysis.stats.frames import RatedAnnotation, RatingsFrame
from scoring.grid.notation import Term, format_cell
from tests.analysis.stats.conftest import framed, rated
from tools.demo_study import plan_demo_study
from tools.painter.chance import Chance
from tools.painter.planting import PlantedError, Truth
from tools.simulation import ANNOTATORS, SimulatedAnnotator, annotate

HOUR = 3_600_000_000
WHOLE = {"torso": 1, "limbs": 4, "feet": 2, "hands": 2, "face": 1}
IMAGES = 600


def as_row(image: int, name: str, terms: dict[str, tuple[Term, ...]]) -> RatedAnnotation:
    return rated(image, name, {key: format_cell(found) for key, found in terms.items()})


def against_truth(annotator: SimulatedAnnotator, severity: str) -> RatingsFrame:
    """One planted error an image; `truth` enters what is there."""
    truth = Truth(1, WHOLE, WHOLE, (PlantedError("planted", "missing.limbs", severity, 1, 0, 0.5, 0.5),))
    rows = []
    for image in range(IMAGES):
        given = annotate(truth, annotator, Chance(f"{annotator.code}/{image}"))
        rows += [as_row(image, "someone", given), as_row(image, "truth", truth.terms())]
    return framed(*rows)


@pytest.mark.parametrize("annotator", ANNOTATORS, ids=lambda annotator: annotator.code)
@pytest.mark.few(2)
def test_planted_habits_come_back_inside_the_intervals(annotator: SimulatedAnnotator) -> None:
    someone, truth = annotators(against_truth(annotator, "b"))["annotators"]
    found, step = someone["found"], someone["severity_step"]
    assert found["value"] == pytest.approx(annotator.detection["b"], abs=0.03)
    assert found["low"] - 0.01 < annotator.detection["b"] < found["high"] + 0.01
    assert step["value"] == pytest.approx(-annotator.leniency, abs=0.05)
    if annotator.leniency:
        assert step["low"] < -annotator.leniency < step["high"]
    assert truth["alone"]["value"] == pytest.approx(1 - found["value"])
    assert truth["against_others"]["value"] == pytest.approx(-someone["against_others"]["value"])


def test_the_demos_annotators_come_back_in_the_order_of_their_leniency() -> None:
    rows, truths = [], 0
    for seed in (7, 8, 9):
        for place, image in enumerate(plan_demo_study(seed=seed)):
            number = 1000 * seed + place
            truths += len(image.truth.terms())
            rows.append(as_row(number, "truth", dict(image.truth.terms())))
            for annotator in ANNOTATORS:
                rows.append(
                    as_row(
                        number,
                        annotator.code,
                        annotate(image.truth, annotator, Chance(f"{number}/{annotator.code}")),
                    )
                )
    found = {entry["annotator"]: entry for entry in annotators(framed(*rows))["annotators"]}
    by_step = sorted(found, key=lambda name: found[name]["severity_step"]["value"])
    # Planted: 0.5 milder, 0.15 milder, none and the truth, 0.45 more severe.
    assert by_step[:2] == ["annotator2", "annotator4"]
    assert by_step[-1] == "annotator3"
    assert found["annotator2"]["severity_step"]["high"] < 0 < found["annotator3"]["severity_step"]["low"]
    # The first and the third were made to notice most, then the second, then the fourth.
    first, second, third, fourth = (found[f"annotator{n}"]["found"]["value"] for n in (1, 2, 3, 4))
    assert min(first, third) > second > fourth
    assert found["truth"]["marks"]["value"] * found["truth"]["images"] >= truths


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

"""The comparison report."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import stats

from analysis.protocols.anatomy.comparison import anatomy_comparison as comparison
from analysis.stats.comparison.welch import NO_VARIANCE
from analysis.stats.frames import RatingsFrame, build_frame
from analysis.stats.means import ONE_IMAGE
from scoring.grid.severity_weights import DEFAULT_WEIGHTS
from tests.analysis.stats.conftest import framed, rated

SUMMARIES = (
    "generators",
    "generator_tests",
    "generator_comparisons",
    "prompts",
    "prompt_groups",
    "error_types",
    "body_parts",
    "annotators",
)


def small() -> RatingsFrame:
    """Two generators; image 1 is judged twice."""
    return framed(
        rated(1, "ada", {"missing.face": "1/2c"}, generator="x", prompt="q", prompt_group="group"),
        rated(
            1,
            "bo",
            {"missing.face": "1/2c", "extra.hands": "1/4c"},
            generator="x",
            prompt="q",
            prompt_group="group",
        ),
        rated(2, "ada", {"extra.hands": "3/4c,1/4b"}, generator="x", prompt="r", prompt_group="individual"),
        rated(3, "bo", {}, generator="y", prompt="q", prompt_group="group"),
    )


def test_summaries() -> None:
    report = comparison(small())
    variance = Fraction(1, 2) ** 2 + Fraction(3, 4) ** 2 + Fraction(7, 8) ** 2
    variance = (variance - 3 * Fraction(17, 24) ** 2) / 2
    assert [_without_images(entry) for entry in report["generators"]] == [
        {
            "generator": "x",
            "annotations": 3,
            "images": 2,
            "mean": pytest.approx(17 / 24),
            "variance": pytest.approx(float(variance)),
            "median": 0.75,
            "severity": {"a": 0.0, "b": 0.25, "c": 2.0},
            "annotations_without_errors": 0,
            "images_without_errors": 0,
        },
        {
            "generator": "y",
            "annotations": 1,
            "images": 1,
            "mean": 0.0,
            "variance": None,
            "median": 0.0,
            "severity": {"a": 0.0, "b": 0.0, "c": 0.0},
            "annotations_without_errors": 1,
            "images_without_errors": 1,
        },
    ]
    assert [(e["prompt"], e["annotations"], e["images"]) for e in report["prompts"]] == [
        ("q", 3, 2),
        ("r", 1, 1),
    ]
    assert [(e["annotator"], e["annotations"], e["images"]) for e in report["annotators"]] == [
        ("ada", 2, 2),
        ("bo", 2, 2),
    ]


def test_images_without_errors() -> None:
    """Image 1 has an error in one of two annotations, and a weight of 0 leaves it one; image 3 is decided."""
    rows = [
        rated(1, "ada", {"missing.face": "1/2a"}),
        rated(1, "bo", {}),
        rated(2, "ada", {}),
        rated(3, "ada", {"missing.face": "1/2c"}),
    ]
    frame = build_frame(rows, {**DEFAULT_WEIGHTS, "a": Fraction(0)})
    (row,) = comparison(frame, adjudicated={3: np.zeros((25, 3))})["generators"]
    assert (row["annotations_without_errors"], row["images_without_errors"]) == (2, 2)
    (row,) = comparison(frame)["generators"]
    assert (row["annotations_without_errors"], row["images_without_errors"]) == (2, 1)


def _without_images(entry: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in entry.items() if "image_" not in key and "_image" not in key}


def test_summaries_over_images() -> None:
    """Image 1 counts 5/8 and image 2 counts 7/8: mean 3/4, and t with one degree of freedom is 12.7062.

    The interval would begin at −0.84, but no mean is below 0.
    """
    first, second = comparison(small())["generators"]
    half = 12.7062047 / 8
    assert first["image_mean"] == {
        "value": 0.75,
        "low": 0.0,
        "high": pytest.approx(0.75 + half),
        "n_units": 2,
        "n_coders": 2,
        "method": "t",
        "refused": None,
    }
    assert (first["image_variance"], first["image_median"]) == (0.03125, 0.75)
    assert first["severity_per_image"] == {"a": 0.0, "b": 0.125, "c": 0.6875}
    assert second["image_mean"] == {
        "value": 0.0,
        "low": None,
        "high": None,
        "n_units": 1,
        "n_coders": 1,
        "method": "t",
        "refused": ONE_IMAGE,
    }


def test_prompt_groups_go_from_one_person_to_many() -> None:
    assert [e["prompt_group"] for e in comparison(small())["prompt_groups"]] == ["individual", "group"]


def test_kinds_of_error_share_out_the_score() -> None:
    report = comparison(small())
    means = {e["error_type"]: e["mean"] for e in report["error_types"]}
    assert means == {
        "missing": 0.25,
        "extra": 0.28125,
        "configuration": 0.0,
        "orientation": 0.0,
        "proportion": 0.0,
    }
    parts = {e["body_part"]: (e["mean"], e["severity"]["c"]) for e in report["body_parts"]}
    assert parts == {
        "torso": (0.0, 0.0),
        "limbs": (0.0, 0.0),
        "feet": (0.0, 0.0),
        "hands": (0.28125, 1.0),
        "face": (0.25, 1.0),
    }
    assert {(e["annotations"], e["images"]) for e in report["error_types"] + report["body_parts"]} == {(4, 3)}


def test_a_test_without_enough_annotations_says_why() -> None:
    assert comparison(small())["generator_tests"] == [
        {
            "a": "x",
            "b": "y",
            "t": None,
            "df": None,
            "p": None,
            "undefined": "fewer than 2 annotations on one side",
        }
    ]


def test_a_test_without_variance_says_why() -> None:
    rows = [rated(i, "ada", {"missing.face": "1/2c"}, generator="xy"[i % 2]) for i in range(4)]
    assert comparison(framed(*rows))["generator_tests"][0]["undefined"] == NO_VARIANCE


def test_welch_equals_scipy() -> None:
    rng = np.random.default_rng(4)
    rows = [
        rated(i, "ada", {"missing.face": f"1/{rng.integers(1, 30)}c"}, generator=f"g{i % 3}")
        for i in range(40)
    ]
    frame = framed(*rows)
    tests = comparison(frame)["generator_tests"]
    assert [(test["a"], test["b"]) for test in tests] == [("g0", "g1"), ("g0", "g2"), ("g1", "g2")]
    codes = frame.codes("generator")
    for test in tests:
        a, b = (frame.scores[codes == int(name[1])] for name in (test["a"], test["b"]))
        expected = stats.ttest_ind(a, b, equal_var=False)
        assert (test["t"], test["df"], test["p"]) == pytest.approx(
            (expected.statistic, expected.df, expected.pvalue), rel=1e-12
        )
        # The formula itself: Welch (1947).
        errors = a.var(ddof=1) / len(a), b.var(ddof=1) / len(b)
        assert test["t"] == pytest.approx((a.mean() - b.mean()) / sum(errors) ** 0.5)
        assert test["df"] == pytest.approx(
            sum(errors) ** 2 / (errors[0] ** 2 / (len(a) - 1) + errors[1] ** 2 / (len(b) - 1))
        )


def test_no_annotations() -> None:
    report = comparison(framed())
    assert {key: report[key] for key in SUMMARIES} == {key: [] for key in SUMMARIES}
    assert report["mixed_model"]["refused"] == "fewer than 2 generators"
    assert report["distributions"]["histogram"] == {"edges": [], "counts": []}
    json.dumps(report, allow_nan=False)


def test_the_report_is_plain_json() -> None:
    report = comparison(small())
    assert json.loads(json.dumps(report, allow_nan=False)) == report


@pytest.mark.study
def test_the_published_study(study_frame: RatingsFrame) -> None:
    report = comparison(study_frame)
    generators = {
        e["generator"]: (e["annotations"], e["images"], round(e["mean"], 4), round(e["variance"], 4))
        for e in report["generators"]
    }
    assert generators == {
        "dall-e3": (100, 80, 0.8200, 0.7227),
        "sdxl": (100, 80, 2.0666, 2.7222),
        "stablecascade": (100, 80, 1.8008, 3.6878),
    }
    tests = {(e["a"], e["b"]): (round(e["t"], 4), round(e["df"], 2)) for e in report["generator_tests"]}
    assert tests == {
        ("dall-e3", "sdxl"): (-6.7165, 148.11),
        ("dall-e3", "stablecascade"): (-4.6704, 136.37),
        ("sdxl", "stablecascade"): (1.0498, 193.61),
    }
    assert sum(e["mean"] for e in report["error_types"]) == pytest.approx(study_frame.scores.mean())
    assert sum(e["mean"] for e in report["body_parts"]) == pytest.approx(study_frame.scores.mean())

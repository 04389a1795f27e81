"""The agreement report."""

from __future__ import annotations

import json
from itertools import combinations
from typing import Any

import krippendorff
import numpy as np
import pytest

from analysis.stats.agreement.agreement import VARIABLES, agreement
from analysis.stats.agreement.alpha import ALL_EQUAL
from analysis.stats.bands import FEWEST_FOR_BANDS, severity_bands
from analysis.stats.bootstrap_intervals import BOOTSTRAP, FEWEST, NEVER_VARIES
from analysis.stats.frames import RatingsFrame
from scoring.grid.taxonomy import CELLS
from tests.analysis.stats.conftest import framed, rated, scored


def random_frame(seed: int, annotators: int = 5, images: int = 30) -> RatingsFrame:
    """Random marks; every image is judged by one to four of the annotators."""
    rng = np.random.default_rng(seed)
    rows = []
    for image in range(images):
        for annotator in rng.permutation(annotators)[: rng.integers(1, 5)]:
            cells = {
                CELLS[cell].key: f"1/{rng.integers(1, 9)}{'abc'[rng.integers(3)]}"
                for cell in rng.permutation(25)[: rng.integers(0, 6)]
            }
            rows.append(rated(image, f"annotator {annotator}", cells))
    return framed(*rows)


def plainly(frame: RatingsFrame) -> dict[tuple[str, str], dict[str, Any] | None]:
    """The pairs' alphas by the library, filtering the table pair by pair."""
    table = frame.annotations.reset_index()
    found: dict[tuple[str, str], dict[str, Any] | None] = {}
    for a, b in combinations(frame.labels("annotator"), 2):
        both = table[table.annotator == a].merge(table[table.annotator == b], on="image")
        if len(both) < FEWEST:
            found[a, b] = None
            continue
        x, y = (frame.scores[both[side]] for side in ("index_x", "index_y"))
        cells = [frame.cells[both[side]].ravel().astype(float) for side in ("index_x", "index_y")]
        one = np.zeros(len(x), dtype=np.int64)
        found[a, b] = {
            "cumulative_score": krippendorff.alpha([x, y], level_of_measurement="interval"),
            "overall_severity": krippendorff.alpha(
                [severity_bands(x, one).astype(float), severity_bands(y, one).astype(float)],
                level_of_measurement="ordinal",
            ),
            "cells": krippendorff.alpha(cells, level_of_measurement="nominal"),
        }
    return found


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.few(3)
def test_pairs_equal_the_library_pair_by_pair(seed: int) -> None:
    frame = random_frame(seed)
    report = {tuple(pair["annotators"]): pair for pair in agreement(frame)["pairs"]}
    expected = plainly(frame)
    assert len(expected) == 10
    for names, alphas in expected.items():
        pair = report[names]
        if alphas is None:
            assert pair["cells"]["refused"].startswith("too few: ")
            assert pair["cells"]["value"] is None
            continue
        assert pair["cumulative_score"]["value"] == pytest.approx(alphas["cumulative_score"], abs=1e-12)
        severity = pair["overall_severity"]
        assert severity["value"] == pytest.approx(alphas["overall_severity"], abs=1e-12)
        if pair["images"] < FEWEST_FOR_BANDS:
            few = pair["images"]
            assert severity["refused"] == f"{few} images: bands cut from {few} scores; at least 8 are needed"
            assert (severity["low"], pair["weighted_kappa"]) == (None, None)
        assert pair["cells"]["value"] == pytest.approx(alphas["cells"], abs=1e-12)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.few(3)
def test_pooled_equals_the_library_on_the_whole_table(seed: int) -> None:
    frame = random_frame(seed)
    pooled = agreement(frame)["pooled"]
    annotators, images = frame.codes("annotator"), frame.image_codes
    scores = np.full((annotators.max() + 1, images.max() + 1), np.nan)
    scores[annotators, images] = frame.scores
    cells = np.full((*scores.shape, 25), np.nan)
    cells[annotators, images] = frame.cells
    bands = np.full(scores.shape, np.nan)
    bands[annotators, images] = severity_bands(frame.scores, annotators)
    assert pooled["cumulative_score"]["value"] == pytest.approx(
        krippendorff.alpha(scores, level_of_measurement="interval"), abs=1e-12
    )
    assert pooled["cells"]["value"] == pytest.approx(
        krippendorff.alpha(cells.reshape(len(cells), -1), level_of_measurement="nominal"), abs=1e-12
    )
    assert pooled["overall_severity_all_images"]["value"] == pytest.approx(
        krippendorff.alpha(bands, level_of_measurement="ordinal"), abs=1e-12
    )


def test_pooled_severity_counts_images_that_someone_else_judged_too() -> None:
    # Alone, ada's 9 would raise her quantiles; nobody else judged that image.
    shared = {image: str(image) for image in range(1, 9)}
    alone = dict.fromkeys(range(11, 17), "9")
    report = agreement(scored({"ada": {**shared, **alone}, "bo": shared}))
    assert report["pooled"]["overall_severity"]["value"] == 1.0
    assert report["pooled"]["overall_severity_all_images"]["value"] != 1.0
    assert report["pairs"][0]["overall_severity"]["value"] == 1.0
    assert report["mean_of_pairs"]["overall_severity"] == 1.0


def test_a_small_study_in_full() -> None:
    ada = {image: str(image) for image in range(1, 9)}
    report = agreement(scored({"bo": ada, "ada": ada, "cy": {3: "1"}}))
    pairs = {tuple(pair["annotators"]): pair for pair in report["pairs"]}
    assert list(pairs) == [("ada", "bo"), ("ada", "cy"), ("bo", "cy")]
    assert [pair["images"] for pair in report["pairs"]] == [8, 1, 1]
    for name in ("cells", "cumulative_score"):
        assert (
            pairs["ada", "bo"][name]
            == {
                "value": 1.0,
                "low": None,
                "high": None,
                "n_units": 8,
                "n_coders": 2,
                "method": BOOTSTRAP,
                "refused": NEVER_VARIES,
                "computed_by": "krippendorff",
            }
            or name == "cells"
        )
        assert pairs["ada", "cy"][name]["refused"] == "too few: 1 image"
        assert pairs["ada", "cy"][name]["value"] is None
    # All of them mark the same single cell: it never differs, and neither do the other 24.
    assert pairs["ada", "bo"]["cells"]["value"] == 1.0
    assert {report["mean_of_pairs"][name] for name in VARIABLES} == {1.0}


def test_equal_scores_have_no_alpha_and_say_so() -> None:
    scores = dict.fromkeys(range(1, 9), "1/3")
    report = agreement(scored({"ada": scores, "bo": scores}))
    pair = report["pairs"][0]
    assert {pair[name]["refused"] for name in ("cumulative_score", "overall_severity")} == {ALL_EQUAL}
    assert pair["cumulative_score_adjusted"]["refused"] == "no annotator has 5 scores that differ"
    assert report["mean_of_pairs"]["cumulative_score"] is None
    assert report["pooled"]["cumulative_score"]["refused"] == ALL_EQUAL


def test_no_annotations() -> None:
    report = agreement(framed())
    assert report["pairs"] == []
    assert set(report["mean_of_pairs"].values()) == {None}
    assert report["pooled"]["cells"]["refused"] == "too few: 0 images"
    json.dumps(report, allow_nan=False)


def test_nobody_shares_an_image() -> None:
    report = agreement(scored({"ada": {1: "1"}, "bo": {2: "1"}}))
    assert report["pairs"] == []
    assert report["pooled"]["cumulative_score"]["n_units"] == 0


def test_the_report_is_plain_json() -> None:
    report = agreement(random_frame(1))
    assert json.loads(json.dumps(report, allow_nan=False)) == report


@pytest.mark.thorough
def test_order_of_rows_does_not_matter() -> None:
    rows = [
        rated(i, name, {"missing.face": f"1/{i + k}c"}) for i in range(1, 9) for k, name in enumerate("xyz")
    ]
    assert agreement(framed(*rows)) == agreement(framed(*reversed(rows)))


@pytest.mark.study
def test_pairs_that_share_seven_images_have_their_published_value(study_frame: RatingsFrame) -> None:
    """The study printed 1.000 and 0.247; bands of seven scores are no basis for an interval."""
    pairs = {tuple(pair["annotators"]): pair for pair in agreement(study_frame)["pairs"]}
    for names, printed in ((("anno1", "anno3"), 1.0), (("anno2", "anno4"), 0.247)):
        severity = pairs[names]["overall_severity"]
        assert severity["value"] == pytest.approx(printed, abs=5e-4)
        assert severity["low"] is None
        assert str(severity["refused"]).startswith("7 images: ")


@pytest.mark.study
def test_the_published_study(study_frame: RatingsFrame) -> None:
    report = agreement(study_frame)
    assert [(pair["annotators"], pair["images"]) for pair in report["pairs"]] == [
        (["anno1", "anno2"], 11),
        (["anno1", "anno3"], 7),
        (["anno1", "anno4"], 12),
        (["anno2", "anno3"], 12),
        (["anno2", "anno4"], 7),
        (["anno3", "anno4"], 11),
    ]
    assert report["mean_of_pairs"] == pytest.approx(
        {
            "cumulative_score": 0.437563,
            "overall_severity": 0.566605,
            "overall_severity_all_images": 0.651865,
            "cells": 0.448471,
            "cumulative_score_adjusted": 0.691003,
        },
        abs=1e-6,
    )
    pooled = report["pooled"]
    assert {name: (round(entry["value"] or 0, 4), entry["n_units"]) for name, entry in pooled.items()} == {
        "cumulative_score": (0.5530, 60),
        "overall_severity": (0.6858, 60),
        "overall_severity_all_images": (0.6955, 60),
        "cells": (0.4501, 60),
        "cumulative_score_adjusted": (0.7567, 60),
    }

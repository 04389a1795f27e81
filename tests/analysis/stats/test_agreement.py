"""The agreement report."""

from __future__ import annotations

import json
from itertools import combinations
from typing import Any

import krippendorff
import numpy as np
import pytest

from analysis.stats.agreement import agreement
from analysis.stats.bands import severity_bands
from analysis.stats.frames import RatingsFrame
from scoring.anatomy.taxonomy import CELLS
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


def plainly(frame: RatingsFrame) -> dict[tuple[str, str], dict[str, Any]]:
    """The pairs' alphas by the library, filtering the table pair by pair."""
    table = frame.annotations.reset_index()
    found = {}
    for a, b in combinations(frame.labels("annotator"), 2):
        both = table[table.annotator == a].merge(table[table.annotator == b], on="image")
        if len(both) < 2:
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
def test_pairs_equal_the_library_pair_by_pair(seed: int) -> None:
    frame = random_frame(seed)
    report = {tuple(pair["annotators"]): pair for pair in agreement(frame)["pairs"]}
    expected = plainly(frame)
    assert len(expected) == 10
    for names, alphas in expected.items():
        pair = report[names]
        assert pair["cumulative_score"]["alpha"] == pytest.approx(alphas["cumulative_score"], abs=1e-12)
        assert pair["overall_severity"]["alpha"] == pytest.approx(alphas["overall_severity"], abs=1e-12)
        assert pair["cells"]["alpha"] == pytest.approx(alphas["cells"], abs=1e-12)


@pytest.mark.parametrize("seed", range(10))
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
    assert pooled["cumulative_score"]["alpha"] == pytest.approx(
        krippendorff.alpha(scores, level_of_measurement="interval"), abs=1e-12
    )
    assert pooled["cells"]["alpha"] == pytest.approx(
        krippendorff.alpha(cells.reshape(len(cells), -1), level_of_measurement="nominal"), abs=1e-12
    )
    assert pooled["overall_severity_all_images"]["alpha"] == pytest.approx(
        krippendorff.alpha(bands, level_of_measurement="ordinal"), abs=1e-12
    )


def test_pooled_severity_counts_images_that_someone_else_judged_too() -> None:
    # Alone, ada's 9 would raise her quantiles; nobody else judged that image.
    shared = {1: "1", 2: "2", 3: "3", 4: "4"}
    report = agreement(scored({"ada": {**shared, 5: "9", 6: "9", 7: "9", 8: "9"}, "bo": shared}))
    assert report["pooled"]["overall_severity"]["alpha"] == 1.0
    assert report["pooled"]["overall_severity_all_images"]["alpha"] != 1.0
    assert report["pairs"][0]["overall_severity"]["alpha"] == 1.0
    assert report["mean_of_pairs"]["overall_severity"] == 1.0


def test_a_small_study_in_full() -> None:
    report = agreement(
        scored({"bo": {1: "0", 2: "1", 3: "2"}, "ada": {1: "0", 2: "1", 3: "2"}, "cy": {3: "1"}})
    )

    def alpha(value: float | None, units: int, level: str, reason: str | None = None) -> dict[str, Any]:
        return {"alpha": value, "units": units, "level_of_measurement": level, "undefined": reason}

    few = "fewer than 2 pairable images"
    lone = {
        "cumulative_score": alpha(None, 1, "interval", few),
        "overall_severity": alpha(None, 1, "ordinal", few),
        "overall_severity_all_images": alpha(None, 1, "ordinal", few),
        "cells": alpha(None, 25, "nominal", few),
    }
    agreed = {
        "cumulative_score": alpha(1.0, 3, "interval"),
        "overall_severity": alpha(1.0, 3, "ordinal"),
        "overall_severity_all_images": alpha(1.0, 3, "ordinal"),
        "cells": alpha(1.0, 75, "nominal"),
    }
    assert report["pairs"] == [
        {"annotators": ["ada", "bo"], "images": 3, **agreed},
        {"annotators": ["ada", "cy"], "images": 1, **lone},
        {"annotators": ["bo", "cy"], "images": 1, **lone},
    ]
    assert report["mean_of_pairs"] == {
        "cumulative_score": 1.0,
        "overall_severity": 1.0,
        "overall_severity_all_images": 1.0,
        "cells": 1.0,
    }


def test_equal_scores_have_no_alpha_and_say_so() -> None:
    report = agreement(scored({"ada": {1: "1/3", 2: "1/3"}, "bo": {1: "1/3", 2: "1/3"}}))
    pair = report["pairs"][0]
    assert {pair[name]["undefined"] for name in ("cumulative_score", "overall_severity")} == {
        "all values are equal"
    }
    assert report["mean_of_pairs"]["cumulative_score"] is None
    assert report["pooled"]["cumulative_score"]["undefined"] == "all values are equal"


def test_no_annotations() -> None:
    report = agreement(framed())
    assert report["pairs"] == []
    assert set(report["mean_of_pairs"].values()) == {None}
    assert report["pooled"]["cells"]["undefined"] == "fewer than 2 pairable images"
    json.dumps(report, allow_nan=False)


def test_nobody_shares_an_image() -> None:
    report = agreement(scored({"ada": {1: "1"}, "bo": {2: "1"}}))
    assert report["pairs"] == []
    assert report["pooled"]["cumulative_score"]["units"] == 0


def test_the_report_is_plain_json() -> None:
    report = agreement(random_frame(1))
    assert json.loads(json.dumps(report, allow_nan=False)) == report


def test_order_of_rows_does_not_matter() -> None:
    rows = [
        rated(i, name, {"missing.face": f"1/{i + k}c"}) for i in range(1, 9) for k, name in enumerate("xyz")
    ]
    assert agreement(framed(*rows)) == agreement(framed(*reversed(rows)))


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
        },
        abs=1e-6,
    )
    pooled = report["pooled"]
    assert {name: (round(pooled[name]["alpha"], 4), pooled[name]["units"]) for name in pooled} == {  # type: ignore[literal-required]
        "cumulative_score": (0.5530, 60),
        "overall_severity": (0.6858, 60),
        "overall_severity_all_images": (0.6955, 60),
        "cells": (0.4501, 1500),
    }

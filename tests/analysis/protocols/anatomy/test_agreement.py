"""Agreement of the anatomy protocol, beside the krippendorff package, R and the published study."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import krippendorff
import numpy as np
import pytest

from analysis.protocols.anatomy.agreement import ON_LOGS, anatomy_agreement
from analysis.stats.estimates import Estimate
from analysis.stats.fewest_images import FEWEST
from analysis.stats.frames import Floats, RatingsFrame
from analysis.stats.generic.alphas import ALL_EQUAL
from analysis.stats.generic.intraclass import NEVER_DIFFER, two_way
from analysis.stats.generic.tables import rows_of
from analysis.stats.overall_severity import FEWEST_FOR_BANDS, severity_bands
from scoring.grid.taxonomy import CELLS
from tests.analysis.stats.conftest import framed, rated, scored

SCORE, SEVERITY, MARKED = "Cumulative score", "Overall severity", "Cells"


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


def pooled(result: dict[str, Any]) -> dict[str, Any]:
    return {row["variable"]: row["pooled"] for row in rows_of(result, "agreement")}


def means(result: dict[str, Any]) -> dict[str, Any]:
    return {row["variable"]: row["mean_of_pairs"] for row in rows_of(result, "agreement")}


def of_pairs(result: dict[str, Any], variable: str) -> dict[tuple[str, ...], Any]:
    rows = [row for row in rows_of(result, "pairs") if row["variable"] == variable]
    return {tuple(row["annotators"]): row["agreement"] for row in rows}


def wide(frame: RatingsFrame, values: Floats) -> Floats:
    """(annotators, images, …) values, NaN where there is none."""
    annotators, images = frame.codes("annotator"), frame.image_codes
    found = np.full((annotators.max() + 1, images.max() + 1, *values.shape[1:]), np.nan)
    found[annotators, images] = values
    return found


@pytest.mark.parametrize("seed", range(3))
def test_pairs_equal_the_library_pair_by_pair(seed: int) -> None:
    frame = random_frame(seed)
    result = anatomy_agreement(frame)
    scores, cells = wide(frame, frame.scores), wide(frame, frame.cells.astype(np.float64))
    labels = frame.labels("annotator")
    expected: dict[str, list[float]] = {SCORE: [], SEVERITY: [], MARKED: []}
    for a, b in combinations(range(5), 2):
        both = ~np.isnan(scores[a] + scores[b])
        x, y = scores[a][both], scores[b][both]
        found = {name: of_pairs(result, name)[labels[a], labels[b]] for name in expected}
        if both.sum() < FEWEST:
            assert {each["refused"] for each in found.values()} == {f"too few: {both.sum()} of 5 images"}
            continue
        one = np.zeros(len(x), dtype=np.int64)
        bands = [severity_bands(side, one).astype(float) for side in (x, y)]
        marks = [cells[side][both].ravel() for side in (a, b)]
        library = {
            SCORE: krippendorff.alpha([x, y], level_of_measurement="interval"),
            SEVERITY: krippendorff.alpha(bands, level_of_measurement="ordinal"),
            MARKED: krippendorff.alpha(marks, level_of_measurement="nominal"),
        }
        for name, value in library.items():
            assert found[name]["value"] == pytest.approx(value, abs=1e-12)
            expected[name].append(value)
        if both.sum() < FEWEST_FOR_BANDS:
            why = f"{both.sum()} images: bands cut from {both.sum()} scores; at least 8 are needed"
            assert (found[SEVERITY]["low"], found[SEVERITY]["refused"]) == (None, why)
    for name, values in expected.items():
        assert means(result)[name] == pytest.approx(np.mean(values), abs=1e-12)


def test_equal_scores_have_no_alpha_and_say_so() -> None:
    scores = dict.fromkeys(range(1, 9), "1/3")
    result = anatomy_agreement(scored({"ada": scores, "bo": scores}))
    for name in (SCORE, SEVERITY):
        assert pooled(result)[name]["refused"] == of_pairs(result, name)["ada", "bo"]["refused"] == ALL_EQUAL
        assert means(result)[name] is None
    assert pooled(result)[f"{SCORE}: ICC(A,1)"]["refused"] == NEVER_DIFFER


def test_a_correlation_has_its_interval_on_logarithms() -> None:
    rng = np.random.default_rng(4)
    scores = {who: {i: str(i % 9 + int(rng.integers(0, 5))) for i in range(60)} for who in ("ada", "bo")}
    result = anatomy_agreement(scored(scores))
    plain, logs = (pooled(result)[name] for name in (f"{SCORE}: ICC(A,1)", "log(1 + score): ICC(A,1)"))
    assert 0 < plain["value"] < 1
    assert (plain["low"], plain["high"], plain["refused"]) == (None, None, ON_LOGS)
    assert 0 <= logs["low"] < logs["value"] < logs["high"] <= 1


def test_too_many_annotators_for_a_correlation_are_said() -> None:
    images = np.repeat(np.arange(300), 2)
    found = two_way(np.arange(600.0) % 7, np.arange(600), images)[0]
    assert (found["value"], found["refused"]) == (None, "more than 500 annotators")


def test_the_published_study(study_agreement: dict[str, Any]) -> None:
    """Means of pairs as printed (3.3, Figure 3D: 0.44, 0.57, 0.45), and R 4.2.2.

    Gwet's AC1 of the 1,500 cells is (po − pe) / (1 − pe) with pe = 2 π (1 − π), π the mean share of marked
    cells; ICC(A,1) is of lmer(score ~ 1 + (1 | annotator) + (1 | image)) over doubly annotated images.
    """
    result = study_agreement
    values = {name: each["value"] for name, each in pooled(result).items()}
    assert values == pytest.approx(
        {
            SCORE: 0.553016,
            SEVERITY: 0.695537,
            MARKED: 0.450128,
            "Cells: AC1": 0.7382951,
            "Cells: positive agreement": 2 * 170 / 606,
            f"{SCORE}: ICC(A,1)": 0.58168,
            "log(1 + score): ICC(A,1)": 0.575223,
        },
        abs=1e-5,
    )
    assert {row["images"] for row in rows_of(result, "agreement")} == {60}
    printed = {SCORE: 0.437563, SEVERITY: 0.566605, MARKED: 0.448471}
    assert {name: means(result)[name] for name in printed} == pytest.approx(printed, abs=1e-6)
    sizes = [11, 7, 12, 12, 7, 11]
    assert [each["n_units"] for each in of_pairs(result, SCORE).values()] == sizes
    pairs = {
        SCORE: [0.829, 0.825, 0.293, 0.249, -0.050, 0.479],
        SEVERITY: [0.382, 1.000, 0.769, 0.343, 0.247, 0.658],
        MARKED: [0.447, 0.664, 0.276, 0.437, 0.417, 0.450],
    }
    for name, expected in pairs.items():
        found = [each["value"] for each in of_pairs(result, name).values()]
        assert found == pytest.approx(expected, abs=6e-4)
    assert result["settings"]["images_needed"] == {"width": 0.1, "needed": 305, "low": 140, "high": 1105}


def test_intervals_of_a_correlation_are_those_of_the_delta_method(study_frame: RatingsFrame) -> None:
    """By lmerTest's covariance of the variance parameters (vcov_varpar), over doubly annotated images."""
    doubled = np.flatnonzero(np.bincount(study_frame.image_codes)[study_frame.image_codes] > 1)
    people, images = (codes[doubled] for codes in (study_frame.codes("annotator"), study_frame.image_codes))
    images = np.unique(images, return_inverse=True)[1]
    found: Estimate = two_way(study_frame.scores[doubled], people, images)[0]
    assert (found["low"], found["high"]) == pytest.approx((0.3796788, 0.7595553), abs=1e-5)

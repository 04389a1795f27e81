"""How many images an interval needs, and which images are furthest apart."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from analysis.stats.agreement.agreement import agreement
from analysis.stats.agreement.alpha import alpha_from
from analysis.stats.agreement.disagreements import LISTED, disagreements
from analysis.stats.bootstrap_intervals import effective_df
from analysis.stats.frames import RatingsFrame
from analysis.stats.pairs import shared_images
from scoring.grid.notation import Term, read_cell
from scoring.grid.scores import cumulative_score
from scoring.grid.taxonomy import CELLS
from tests.analysis.stats.conftest import framed, rated, scored, summed


def test_the_planner_scales_the_jackknife_error() -> None:
    rng = np.random.default_rng(5)
    scores = {name: {i: str(int(rng.integers(0, 9))) for i in range(40)} for name in ("A", "B")}
    row = agreement(scored(scores))["planner"]["rows"][0]
    values = np.array([float(text) for images in scores.values() for text in images.values()])
    rows = summed(values, np.tile(np.arange(40), 2))
    without = np.array([float(alpha_from(rows.sum(axis=0) - row)) for row in rows])
    error = np.sqrt(39 / 40 * ((without - without.mean()) ** 2).sum())
    assert row["standard_error"] == pytest.approx(error)
    assert row["half_width_now"] == pytest.approx(1.959964 * error, rel=1e-6)
    (df,) = effective_df(without[:, None]) / 2
    for each in row["needed"]:
        squared = (1.959964 * error / each["width"]) ** 2 * 40 * df
        assert each["low"] == pytest.approx(squared / stats.chi2.ppf(0.975, df), abs=1)
        assert each["high"] == pytest.approx(squared / stats.chi2.ppf(0.025, df), abs=1)
        assert each["low"] < each["images"] < each["high"]
    expected = [int(np.ceil((1.959964 * error / width) ** 2 * 40)) for width in (0.05, 0.10, 0.15, 0.20)]
    assert [(each["width"], each["images"]) for each in row["needed"]] == list(
        zip((0.05, 0.10, 0.15, 0.20), expected, strict=True)
    )


@pytest.mark.thorough
def test_with_that_many_images_the_interval_is_as_wide_as_wanted() -> None:
    rng = np.random.default_rng(6)

    def study(images: int) -> dict[str, dict[int, str]]:
        truth = rng.integers(0, 60, images)
        return {
            name: {i: str(int(value)) for i, value in enumerate(truth + rng.integers(0, 40, images))}
            for name in ("A", "B")
        }

    planned = agreement(scored(study(60)))["planner"]["rows"][0]["needed"][1]["images"]
    found = agreement(scored(study(planned)))["pooled"]["cumulative_score"]
    assert found["high"] is not None
    assert found["low"] is not None
    assert (found["high"] - found["low"]) / 2 == pytest.approx(0.10, rel=0.5)


def test_a_planner_without_data_says_so() -> None:
    rows = agreement(scored({"A": {1: "1"}, "B": {1: "2"}}))["planner"]["rows"]
    assert {row["refused"] for row in rows} == {"too few: 1 image", "too few: 0 images"}


def test_images_in_the_order_of_their_distance() -> None:
    frame = framed(
        rated(1, "A", {"missing.limbs": "1/4c", "extra.face": "1/1a"})._replace(annotation=11),
        rated(1, "B", {"missing.limbs": "1/4b"})._replace(annotation=12),
        rated(2, "A", {})._replace(annotation=21),
        rated(2, "B", {"missing.face": "1/1c,1/1a"})._replace(annotation=22),
        rated(2, "C", {"missing.face": "1/1a"})._replace(annotation=23),
        rated(3, "A", {"missing.face": "1/2b"})._replace(annotation=31),
        rated(3, "B", {"extra.face": "1/2b"})._replace(annotation=32),
        rated(4, "A", {"missing.face": "1/2b"})._replace(annotation=41),
        rated(4, "B", {"missing.face": "1/2b"})._replace(annotation=42),
        rated(5, "A", {}),
    )
    found = disagreements(frame, shared_images(frame))
    assert (found["images"], found["left_out"]) == (4, 0)
    assert [(row["image"], row["annotators"], row["one_sided"]) for row in found["rows"]] == [
        (2, ["A", "B"], 1),
        (1, ["A", "B"], 1),
        (3, ["A", "B"], 2),
        (4, ["A", "B"], 0),
    ]
    first, second = found["rows"][:2]
    assert first["annotations"] == [21, 22]
    assert first["difference"] == pytest.approx(1.2)
    assert first["cells"] == [{"cell": "missing.face", "marks": ["", "1/1a,1/1c"]}]
    assert second["cells"] == [
        {"cell": "missing.limbs", "marks": ["1/4c", "1/4b"]},
        {"cell": "extra.face", "marks": ["1/1a", ""]},
    ]


def test_differences_that_are_equal_stay_equal_whatever_floats_make_of_them() -> None:
    """1/10 is 3/10 - 2/10, and not so in floats: only the cells flagged by one of the two decide."""
    assert 0.3 - 0.2 < 0.1
    frame = framed(
        rated(1, "A", {"missing.face": "3/10c"}),
        rated(1, "B", {"missing.limbs": "2/10c"}),
        rated(2, "A", {"missing.face": "1/10c"}),
        rated(2, "B", {}),
        rated(3, "A", {"missing.face": "1/10c", "missing.limbs": "1/10c"}),
        rated(3, "B", {"missing.face": "3/10c"}),
        rated(4, "A", {"missing.face": "3/10c"}),
        rated(4, "B", {"missing.limbs": "2/10c"}),
    )
    found = disagreements(frame, shared_images(frame))["rows"]
    assert [(row["image"], row["difference"], row["one_sided"]) for row in found] == [
        (1, 0.1, 2),
        (4, 0.1, 2),
        (2, 0.1, 1),
        (3, 0.1, 1),
    ]


@pytest.mark.study
def test_the_order_of_the_published_study_is_that_of_exact_fractions(
    study_frame: RatingsFrame, study_rows: list[dict[str, str]]
) -> None:
    """Subtracted in floats, places 46 and 47 and places 54 and 55 change places."""
    said: dict[tuple[str, ...], list[dict[str, tuple[Term, ...]]]] = {}
    for row in study_rows:
        cells = {cell.key: read_cell(row[cell.heading])[0] for cell in CELLS}
        said.setdefault((row["Model"], row["Prompt"], row["Pic Num."]), []).append(cells)
    # Images of the frame are numbered as the file comes to them; sorting keeps that order.
    twice = [
        (
            abs(cumulative_score(two[0]) - cumulative_score(two[1])),
            sum(bool(two[0][cell.key]) != bool(two[1][cell.key]) for cell in CELLS),
            key,
        )
        for key, two in said.items()
        if len(two) == 2
    ]
    twice.sort(key=lambda image: image[:2], reverse=True)
    rows = disagreements(study_frame, shared_images(study_frame))["rows"]
    assert len(rows) == 60
    found = [(row["generator"], row["prompt"], str(row["number"])) for row in rows]
    assert found == [key for _, _, key in twice]
    assert [row["difference"] for row in rows] == [float(apart) for apart, _, _ in twice]


def test_the_list_is_bounded() -> None:
    frame = scored({name: {i: str(i * k % 7) for i in range(LISTED + 50)} for k, name in enumerate("AB")})
    found = disagreements(frame, shared_images(frame))
    assert (len(found["rows"]), found["left_out"]) == (LISTED, 50)
    distances = [row["difference"] for row in found["rows"]]
    assert distances == sorted(distances, reverse=True)

"""What figures draw is what the result says."""

from __future__ import annotations

import copy

import pytest

from analysis.figures import ladder, pair_alphas
from analysis.figures.catalogue import figure
from analysis.figures.maps import cells
from analysis.figures.pieces import short
from analysis.stats.agreement.agreement import agreement
from analysis.stats.frames import RatingsFrame
from tests.analysis.figures.conftest import results, stored
from tests.analysis.stats.conftest import rated
from tests.analysis.stats.generic.making import rows_of


@pytest.mark.parametrize("slug", ["error_types-shares", "body_parts-shares"])
def test_bars_of_severities_hold_all_marks(slug: str) -> None:
    result = results()["comparison"]
    found = figure("comparison", result, slug)
    assert found is not None
    for severity, letter in (("mild", "a"), ("moderate", "b"), ("severe", "c")):
        whole = sum(row["images"] * row[letter] for row in rows_of(result, "generators")) / 48
        assert sum(row[severity] for row in found.rows) == pytest.approx(whole)
        drawn = [row["sum"] for row in found.drawn["sums"] if row["severity"] == severity]
        assert sum(drawn) == pytest.approx(whole)


def test_pairs_of_few_images_carry_the_caution_of_their_bands() -> None:
    """Each pair of the invented study shares 8 images."""
    found = pair_alphas.by_pair(results()["agreement"])
    cautions = {
        row["name"]: row["caution"] for row in found.rows if row["variable"].endswith("shared images")
    }
    assert cautions["ada – bo"] == "bands cut from as few as 8 scores: alpha is too low on average"
    assert "Bands of 3 pairs are cut from fewer than 20 scores: alpha is too low on average." in found.note


def test_cells_and_rungs() -> None:
    agreement = results()["agreement"]
    found = {(row["error_type"], row["body_part"]): row for row in cells.grid(agreement).rows}
    for entry in agreement["by"]["cell"]:
        error_type, body_part = (word.title() for word in entry["name"].split("."))
        assert found[error_type, body_part]["value"] == entry["cells"]["value"]
        assert found[error_type, body_part]["marked"] == entry["marked"]
    whole = [row for row in ladder.ladder(agreement).rows if row["name"] == "All cells"]
    counts = agreement["ladder"]["overall"][0]["counts"]
    assert [row["count"] for row in whole] == list(counts.values())


@pytest.mark.parametrize(("value", "text"), [(-0.5, "−0.50"), (-0.001, "0.00"), (1234.5, "1,234.50")])
def test_labels(value: float, text: str) -> None:
    assert short(value) == text


def test_crowds_are_cut_and_said_to_be() -> None:
    answers = [
        rated(k, "ada", {"missing.face": f"1/{k % 3 + 2}c"}, prompt=f"p{k // 2:02}") for k in range(42)
    ]
    found = figure("comparison", stored("comparison", answers), "prompts-intervals")
    assert found is not None
    assert (len(found.rows), len(found.drawn["estimates"])) == (21, 20)
    assert found.note.endswith("The first 20 of 21.")


@pytest.mark.parametrize("deepest", [-0.31, -0.8, -1.64])
def test_the_axis_of_pair_alphas_holds_every_interval(deepest: float) -> None:
    made = copy.deepcopy(results()["agreement"])
    made["pairs"][1]["cells"] |= {"value": deepest + 0.5, "low": deepest, "high": 0.9}
    found = pair_alphas.by_pair(made)
    start, end = found.view["spec"]["layer"][-1]["encoding"]["x"]["scale"]["domain"]
    ends = [
        row[key] for row in found.drawn["alphas"] for key in ("low", "value", "high") if row[key] is not None
    ]
    assert min(ends) <= deepest
    assert start <= min(ends)
    assert max(ends) <= end
    assert start > min(*ends, -0.6) - 0.1


@pytest.mark.study
def test_the_axis_holds_the_intervals_of_the_published_study(study_frame: RatingsFrame) -> None:
    drawn = pair_alphas.by_pair(agreement(study_frame))
    lows = sorted(row["low"] for row in drawn.drawn["alphas"] if row["low"] is not None)
    start, _ = drawn.view["spec"]["layer"][-1]["encoding"]["x"]["scale"]["domain"]
    assert [f"{low:.2f}" for low in lows[:3]] == ["-0.55", "-0.42", "-0.41"]
    assert start <= lows[0] < start + 0.1

"""What figures draw is what the result says."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from analysis.figures import generators, ladder, pair_alphas, scores, sums, violins
from analysis.figures.figure import Figure
from analysis.figures.maps import cells
from analysis.figures.pieces import short
from analysis.stats.agreement.agreement import agreement
from analysis.stats.frames import RatingsFrame
from tests.analysis.figures.conftest import results, stored
from tests.analysis.stats.conftest import rated


def comparison() -> Any:
    return results()["comparison"]


@pytest.mark.parametrize(
    "figure",
    [
        sums.by_prompt,
        sums.by_error_type,
        sums.by_body_part,
        sums.prompt_by_error_type,
        sums.prompt_by_body_part,
        sums.all_by_error_type,
        sums.all_by_body_part,
    ],
)
def test_every_figure_of_sums_holds_all_marks(figure: Any) -> None:
    found: Figure = figure(comparison())
    for severity, letter in (("mild", "a"), ("moderate", "b"), ("severe", "c")):
        whole = sum(entry["severity"][letter] for entry in comparison()["generators"])
        assert sum(row[severity] for row in found.rows) == pytest.approx(whole)
        drawn = [row["sum"] for row in found.drawn["sums"] if row["severity"] == severity]
        assert sum(drawn) == pytest.approx(whole)


def test_sums_stand_in_their_places() -> None:
    cube = comparison()["severity_sums"]
    g, p = cube["generators"].index("beta"), cube["prompts"].index("hugging")
    row = next(
        row
        for row in sums.all_by_body_part(comparison()).rows
        if (row["generator"], row["prompt"], row["body_part"]) == ("beta", "hugging", "Hands")
    )
    assert [row["mild"], row["moderate"], row["severe"]] == cube["body_parts"][g][p][3]


def test_bands_are_shares_of_a_generator() -> None:
    found = scores.bands(comparison())
    for entry in comparison()["distributions"]["bands"]:
        drawn = [row for row in found.drawn["bands"] if row["name"] == entry["generator"]]
        assert [row["count"] for row in drawn] == [entry["low"], entry["medium"], entry["high"]]
        assert sum(row["share"] for row in drawn) == pytest.approx(1)
        assert drawn[2]["middle"] == pytest.approx(1 - drawn[2]["share"] / 2)


def test_bands_of_few_scores_are_called_uncertain_in_figure_and_table() -> None:
    few = "bands cut from as few as 9 scores: uncertain"
    cut = {
        "fewest": 8,
        "scores": 9,
        "annotations_left_out": 7,
        "annotators_left_out": 1,
        "caution": few,
    }
    result = copy.deepcopy(comparison())
    assert "caution" not in scores.bands(result).rows[0]
    result["distributions"]["bands_cut"] = cut
    found = scores.bands(result)
    told = (
        "7 annotations of 1 annotator with fewer than 8 scores not counted. "
        "Bands cut from as few as 9 scores: uncertain."
    )
    assert found.note.endswith(told)
    assert [row["caution"] for row in found.rows] == [told] * len(found.rows)
    assert found.columns[-1].title == "Caution"
    for entry in result["distributions"]["bands"]:
        entry |= dict.fromkeys(("low", "medium", "high"), 0)
    assert scores.bands(result).refused == "no annotator has 8 scores to cut bands from"


def test_pairs_of_few_images_carry_the_caution_of_their_bands() -> None:
    """Each pair of the invented study shares 8 images."""
    found = pair_alphas.by_pair(results()["agreement"])
    cautions = {
        row["name"]: row["caution"] for row in found.rows if row["variable"].endswith("shared images")
    }
    assert cautions["ada – bo"] == "bands cut from as few as 8 scores: alpha is too low on average"
    assert "Bands of 3 pairs are cut from fewer than 20 scores: alpha is too low on average." in found.note


def test_points_stay_inside_their_outline() -> None:
    rows = violins.by_generator(comparison()).drawn["shapes"]
    assert max(row["up"] for row in rows if row["part"] == "outline") == 1
    assert all(abs(row["up"]) <= 0.8 for row in rows if row["part"] == "point")
    points = [row["score"] for row in rows if row["part"] == "point" and row["name"] == "beta"]
    shape = next(e for e in comparison()["distributions"]["generators"] if e["generator"] == "beta")
    assert points == shape["points"]


def test_prompts_stand_by_group_from_one_person_to_many() -> None:
    found = violins.by_prompt(comparison())
    assert [row["name"] for row in found.rows] == ["jogging", "hugging", "volleyball"]


def test_means_are_those_of_images() -> None:
    rows = generators.means(comparison()).rows
    raw = {row["name"]: (row["value"], row["low"], row["high"]) for row in rows if row["kind"] == "raw"}
    for entry in comparison()["generators"]:
        mean = entry["image_mean"]
        assert raw[entry["generator"]] == (mean["value"], mean["low"], mean["high"])


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


def crowded() -> Any:
    """Ten generators and forty prompts."""
    answers = [
        rated(
            k,
            "ada",
            {"missing.face": f"{1 + k * 7 % 11}/12c"},
            generator=f"g{k % 10}",
            prompt=f"p{k // 10:02}",
        )
        for k in range(400)
    ]
    return stored("comparison", answers)


@pytest.mark.thorough
def test_crowds_are_cut_and_said_to_be() -> None:
    result = crowded()
    found = sums.by_prompt(result)
    assert len(found.rows) == 400
    assert len({row["prompt"] for row in found.drawn["sums"]}) == 15
    assert found.note.endswith("The 15 of 40 with the most errors; the table has all.")
    totals: dict[str, float] = {}
    for row in found.rows:
        totals[row["prompt"]] = totals.get(row["prompt"], 0) + row["severe"]
    least = min(totals[row["prompt"]] for row in found.drawn["sums"])
    assert sum(total > least for total in totals.values()) < 15
    assert len({row["prompt"] for row in sums.prompt_by_error_type(result).drawn["sums"]}) == 40
    pairs = generators.differences(result)
    drawn = {row["p"] for row in pairs.drawn["differences"] if row["kind"] == generators.TESTS[0]}
    others = {row["p"] for row in pairs.rows if row["kind"] == generators.TESTS[0]} - drawn
    assert len({row["name"] for row in pairs.drawn["differences"]}) == 15
    assert max(drawn) <= min(others)
    # Joint intervals, as in the tables.
    shown = {(row["name"], row["kind"]): (row["low"], row["high"]) for row in pairs.rows}
    test = result["mixed_model"]["pairs"][0]
    joint = test["simultaneous"]
    assert shown[f"{test['a']} – {test['b']}", generators.TESTS[0]] == (joint["low"], joint["high"])
    assert joint["high"] > test["difference"]["high"]
    assert "joint 95% intervals" in pairs.note


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

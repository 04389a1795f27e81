"""Comparison of consolidated scores: the worked table, classes, other rules, and images one by one."""

from __future__ import annotations

import re

import pytest

from analysis.protocols.realism.comparison import realism_comparison
from analysis.protocols.realism.images import RatedImages
from analysis.stats.estimates import TOO_WIDE
from analysis.stats.generic.outside import OutsideMetric
from scoring.realism.reliability import reliability_of
from tests.analysis.protocols.realism.making import WORKED, rated
from tests.analysis.stats.generic.making import rows_of


def test_every_image_shows_its_branch_and_the_other_rules() -> None:
    rows = {row["number"]: row for row in rows_of(realism_comparison(rated(WORKED)), "consolidation")}
    assert sorted(rows) == [1, 2, 3, 4, 5, 6]
    assert (rows[4]["ratings"], rows[4]["kept"], rows[4]["score"]) == ("6 7 8 8 9", "8 8", 8.0)
    assert (rows[4]["mean"], rows[4]["median"], rows[4]["class"]) == (7.6, 8.0, "high")
    assert (rows[6]["ratings"], rows[6]["score"], rows[6]["class"]) == ("1 1 2 2 x", 2.0, "low")
    assert (rows[5]["ratings"], rows[5]["score"], rows[5]["class"]) == ("3 4 x x x", None, "")
    assert rows[5]["branch"] == "three or more invalid votes"
    # Image 1 is 3.5 by the published rule, 2.4 by the mean, 2 by the median: it comes among the first.
    first = rows_of(realism_comparison(rated(WORKED)), "consolidation")[0]
    assert (first["number"], first["score"], first["mean"], first["median"]) == (1, 3.5, 2.4, 2.0)


def test_outcomes_and_classes_are_counted() -> None:
    result = realism_comparison(rated(WORKED, generators=["gA", "gA", "gA", "gB", "gB", "gB"]))
    assert [row["images"] for row in rows_of(result, "outcomes")] == [1, 0, 3, 1, 1]
    assert [list(row.values()) for row in rows_of(result, "classes")] == [
        ["gA", 3, 0, 0, 0.0, 2 / 3, 1 / 3],
        ["gB", 2, 1, 0, 0.5, 0.0, 0.5],
    ]
    generators = {row["generator"]: row for row in rows_of(result, "generators")}
    assert generators["gA"]["mean"]["value"] == pytest.approx((3.5 + 9 + 6.5) / 3)
    assert (generators["gB"]["images"], generators["gB"]["mean"]["value"]) == (2, 5.0)


def test_rules_say_what_changes_class() -> None:
    rows = {row["rule"]: row["images"] for row in rows_of(realism_comparison(rated(WORKED)), "rules")}
    # Image 1: middle by the published rule, low by all others.
    assert rows["by the mean"] == 1
    assert rows["by the median"] == 1
    scored = [each for each in RatedImages(rated(WORKED)).consolidated if each.score is not None]
    assert rows["if one rating changed by 1"] == sum(each.unstable for each in scored)


def test_what_is_odd_about_the_rule_is_told() -> None:
    words = {each["name"]: each["words"] for each in realism_comparison(rated(WORKED))["tables"]}
    found = " ".join(re.findall(r"[\d,.]*\d", words["outcomes"]))
    assert found == "1 1 1 8 8 8 1 1 1 8 9 1 9,009 1 1,103 1 9 9 9 9 7.4 2,002 100"
    assert re.findall(r"\d+", words["rules"]) == ["1", "476", "4", "114"]


def test_biases_of_the_worked_table() -> None:
    first_four = {rater: " ".join(said.split()[:4]) for rater, said in WORKED.items()}
    assert RatedImages(rated(first_four)).biases == pytest.approx([-0.1, -1.1, 0.9, -0.6, 0.9])


def test_the_adjusted_mean_leaves_out_the_biases() -> None:
    # Every rater is off by a constant, so that without it all means are the truth.
    truth, off = [2, 5, 8, 3], {"a": -1, "b": 0, "c": 1}
    table = {rater: " ".join(str(each + by) for each in truth) for rater, by in off.items()}
    assert RatedImages(rated(table)).adjusted == pytest.approx(truth)


def test_scores_are_resampled_over_raters() -> None:
    result = realism_comparison(rated(WORKED, generators=["gA", "gA", "gA", "gB", "gB", "gB"]))
    rows = {row["number"]: row for row in rows_of(result, "consolidation")}
    for number, votes in ((4, [6, 7, 8, 8, 9]), (2, [8, 9, 9, 9, 10])):
        found = reliability_of(votes)
        assert found is not None
        told = (rows[number]["low"], rows[number]["high"], rows[number]["changes"])
        assert told == (float(found.low), float(found.high), float(found.changes))
    assert (rows[5]["low"], rows[5]["high"], rows[5]["changes"]) == (None, None, None)
    by_generator = {row["generator"]: row for row in rows_of(result, "reliability")}
    own = [rows[number] for number in (1, 2, 3)]
    assert by_generator["gA"]["images"] == 3
    assert by_generator["gA"]["changes"] == pytest.approx(sum(row["changes"] for row in own) / 3)
    assert by_generator["gA"]["width"] == pytest.approx(sum(row["high"] - row["low"] for row in own) / 3)


def test_no_interval_leaves_the_scale() -> None:
    """Once: 6.63 [0.00, 14.57], and a generator that may score up to 62.68 lower."""
    table = dict.fromkeys(("r1", "r2", "r3"), "9 9 2 9 1 9 1 2")
    frame = rated(table, ["gA"] * 4 + ["gB"] * 4, ["p", "q"] * 4)
    result = realism_comparison(frame)
    means = [row["mean"] for row in rows_of(result, "generators")]
    tests = [*rows_of(result, "differences"), *rows_of(result, "plain")]
    for found in means:
        assert found["low"] is None or 1 <= found["low"] <= found["high"] <= 10
    gaps = [test["difference"] for test in tests]
    for found in gaps:
        assert found["low"] is None or -9 <= found["low"] <= found["high"] <= 9
    given = [*means, *gaps]
    assert any(found["low"] is not None or found["refused"] == TOO_WIDE for found in given)


def test_outside_metrics_stand_beside_the_scores_and_the_rule_that_always_ties() -> None:
    """Eight prompts with an image that people find good and one that they do not, as the metric does."""
    good = [place % 2 == 0 for place in range(16)]
    ratings = " ".join("9" if each else "2" for each in good)
    prompts = [f"prompt {place // 2}" for place in range(16)]
    generators = ["gA" if each else "gB" for each in good]
    frame = rated(dict.fromkeys("abcde", ratings), generators, prompts)
    metric = OutsideMetric("clip", {place + 1: 0.9 if each else 0.4 for place, each in enumerate(good)})
    found = realism_comparison(frame, metrics=[metric])
    (row,) = rows_of(found, "outside")
    assert (row["images"], row["prompts"], row["predicted"], row["always_tie"]) == (16, 8, 1.0, 0.0)
    means = {each["generator"]: each["mean"]["value"] for each in rows_of(found, "outside_means")}
    assert means == {"gA": pytest.approx(0.9), "gB": pytest.approx(0.4)}

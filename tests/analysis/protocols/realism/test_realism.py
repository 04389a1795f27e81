"""Realism beside worked tables, the krippendorff package and the analysis of variance."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import krippendorff
import numpy as np
import pytest

from analysis.protocols.realism.agreement import correlations, realism_agreement
from analysis.protocols.realism.comparison import realism_comparison
from analysis.protocols.realism.images import RatedImages, other_rules
from analysis.stats.estimates import TOO_WIDE
from analysis.stats.generic.intraclass import NO_MEAN
from analysis.stats.generic.measures import COEFFICIENTS
from analysis.stats.generic.tables import rows_of
from scoring.realism.reliability import reliability_of
from tests.analysis.protocols.realism.making import WORKED, rated


def test_the_three_alphas_of_the_worked_table() -> None:
    rows = rows_of(realism_agreement(rated(WORKED)), "agreement")
    found = {(row["variable"], row["level"]): (row["pooled"]["value"], row["images"]) for row in rows[:3]}
    assert found == {
        ("Realism", "ordinal"): (pytest.approx(0.872004, abs=5e-7), 5),
        ("Realism, equal steps", "interval"): (pytest.approx(0.895182, abs=5e-7), 5),
        ("Valid or invalid", "nominal"): (pytest.approx(0.302885, abs=5e-7), 6),
    }


def coefficients(result: dict[str, Any], kind: str = "ICC") -> dict[str, Any]:
    """The intraclass correlations of a report, by their names."""
    rows = rows_of(result, "agreement")
    return {
        row["variable"].removeprefix("Realism: "): row["pooled"] for row in rows if kind in row["variable"]
    }


def test_the_intraclass_correlations_of_the_worked_table() -> None:
    found = coefficients(realism_agreement(rated(WORKED)))
    assert {name: estimate["value"] for name, estimate in found.items()} == {
        "ICC(1,1), one rating": pytest.approx(0.910473, abs=5e-7),
        "ICC(1,k), mean of 5 ratings": pytest.approx(0.980713, abs=5e-7),
    }


def test_agreement_on_who_is_valid_stands_beside_its_alpha() -> None:
    table = np.array([text.split() for text in WORKED.values()])
    found = coefficients(realism_agreement(rated(WORKED)), "Valid or invalid: ")
    assert list(found) == [f"Valid or invalid: {name}" for name in COEFFICIENTS]
    equal, shares = [], []
    for column in table.T:
        given = [text != "x" for text in column if text != "-"]
        n, valid = len(given), sum(given)
        if n >= 2:
            equal.append((valid * (valid - 1) + (n - valid) * (n - valid - 1)) / (n * (n - 1)))
            shares.append(valid / n)
    raw, share = np.mean(equal), np.mean(shares)
    chance = 2 * share * (1 - share)
    assert found["Valid or invalid: raw agreement"]["value"] == pytest.approx(raw)
    assert found["Valid or invalid: AC1"]["value"] == pytest.approx((raw - chance) / (1 - chance))


def test_a_balanced_correlation_is_that_of_the_analysis_of_variance() -> None:
    # P. E. Shrout and J. L. Fleiss (1979), table 2: four judges, six targets; ICC(1,1) 0.17, ICC(1,k) 0.44.
    judges = {"a": "9 6 8 7 10 6", "b": "2 1 4 1 5 2", "c": "5 3 6 2 6 4", "d": "8 2 8 6 9 7"}
    one, several, raters = correlations(RatedImages(rated(judges)))
    assert raters == 4
    assert one["value"] is not None
    assert several["value"] is not None
    assert (round(one["value"], 2), round(several["value"], 2)) == (0.17, 0.44)


def test_too_few_images_are_refused() -> None:
    one, _, _ = correlations(RatedImages(rated({"a": "1 5 9", "b": "2 5 8"})))
    assert (one["value"], one["refused"]) == (None, "too few: 3 of 5 images")
    (alone,) = coefficients(realism_agreement(rated({"a": "1 x"}))).values()
    assert (alone["value"], alone["refused"]) == (None, "too few: 0 of 5 images")


# Invented: the two ratings of every image are 9 and 10.
CEILING = {"c1": "9 10 9 10 10 9 10 10 10 9 10 9", "c2": "10 9 10 9 9 10 9 9 9 10 9 10"}


def test_a_correlation_of_means_that_is_infinite_has_a_reason_and_nothing_else_falls() -> None:
    result = realism_agreement(rated(CEILING))
    json.dumps(result, allow_nan=False)
    one, several = coefficients(result).values()
    assert one["value"] == pytest.approx(-1)
    assert (several["value"], several["refused"]) == (None, NO_MEAN)
    ordinal, *_ = rows_of(result, "agreement")
    ratings = np.array([text.split() for text in CEILING.values()], dtype=np.float64)
    expected = krippendorff.alpha(ratings, level_of_measurement="ordinal")
    assert ordinal["pooled"]["value"] == pytest.approx(expected, abs=1e-12)


def test_every_image_has_its_branch_and_the_other_rules() -> None:
    images = RatedImages(rated(WORKED))
    # Image 1 is 3.5 by the published rule, 2.4 by the mean, 2 by the median.
    first, fifth = images.consolidated[0], images.consolidated[4]
    rules = other_rules(first, images.adjusted[0])
    assert (first.score, rules["mean"][0], rules["median"][0]) == (Fraction(7, 2), 2.4, 2.0)
    told = (fifth.ratings, fifth.score, fifth.realism_class, fifth.branch)
    assert told == ((3, 4), None, None, "invalid")
    assert other_rules(fifth, images.adjusted[4]) == {}


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


def test_the_adjusted_mean_leaves_out_the_biases() -> None:
    # Every rater is off by a constant, so that without it all means are the truth.
    truth, off = [2, 5, 8, 3], {"a": -1, "b": 0, "c": 1}
    table = {rater: " ".join(str(each + by) for each in truth) for rater, by in off.items()}
    assert RatedImages(rated(table)).adjusted == pytest.approx(truth)


def test_scores_are_resampled_over_raters() -> None:
    frame = rated(WORKED, generators=["gA", "gA", "gA", "gB", "gB", "gB"])
    every = [reliability_of(image.ratings, image.invalid_votes) for image in RatedImages(frame).consolidated]
    own = [found for found in every[:3] if found]
    assert (len(own), every[3], every[4]) == (3, reliability_of([6, 7, 8, 8, 9]), None)
    row, _ = rows_of(realism_comparison(frame), "reliability")
    assert (row["generator"], row["images"]) == ("gA", 3)
    assert row["changes"] == pytest.approx(float(sum(found.changes for found in own) / 3))
    assert row["width"] == pytest.approx(float(sum(found.high - found.low for found in own) / 3))


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

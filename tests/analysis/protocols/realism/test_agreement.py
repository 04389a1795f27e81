"""Agreement of realism beside the worked table, the krippendorff package and the analysis of variance."""

from __future__ import annotations

import json
from typing import Any, Literal

import krippendorff
import numpy as np
import pytest

from analysis.protocols.realism.agreement import correlations, realism_agreement
from analysis.protocols.realism.images import RatedImages
from analysis.stats.generic.intraclass import NO_MEAN
from analysis.stats.generic.measures import COEFFICIENTS
from tests.analysis.protocols.realism.making import WORKED, rated
from tests.analysis.stats.generic.making import rows_of


def test_the_three_alphas_of_the_worked_table() -> None:
    rows = rows_of(realism_agreement(rated(WORKED)), "agreement")
    found = {(row["variable"], row["level"]): (row["pooled"]["value"], row["images"]) for row in rows[:3]}
    assert found == {
        ("Realism", "ordinal"): (pytest.approx(0.872004, abs=5e-7), 5),
        ("Realism, equal steps", "interval"): (pytest.approx(0.895182, abs=5e-7), 5),
        ("Valid or invalid", "nominal"): (pytest.approx(0.302885, abs=5e-7), 6),
    }


def test_the_alphas_are_those_of_the_krippendorff_package() -> None:
    draw = np.random.default_rng(3)
    truth = draw.integers(1, 11, 40)
    ratings = np.clip(truth + draw.integers(-2, 3, (5, 40)), 1, 10)
    table = {f"r{rater}": " ".join(map(str, row)) for rater, row in enumerate(ratings)}
    rows = rows_of(realism_agreement(rated(table)), "agreement")
    levels: list[Literal["ordinal", "interval"]] = ["ordinal", "interval"]
    for row, level in zip(rows, levels, strict=False):
        expected = krippendorff.alpha(ratings.astype(float), level_of_measurement=level)
        assert row["pooled"]["value"] == pytest.approx(expected, abs=1e-12)
        assert row["pooled"]["low"] < expected < row["pooled"]["high"]


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
    assert (one["value"], one["refused"]) == (None, "too few: 3 images")
    (alone,) = coefficients(realism_agreement(rated({"a": "1 x"}))).values()
    assert (alone["value"], alone["refused"]) == (None, "too few: 0 images")


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


@pytest.mark.parametrize("images", [5, 6, 7, 20])
def test_values_that_are_infinite_without_one_image_or_in_resamples_have_reasons(images: int) -> None:
    """All images but one are at the ceiling: without it, the correlation of means is infinite."""
    table = {"c1": "4 " + "9 " * (images - 1), "c2": "5 " + "10 " * (images - 1)}
    result = realism_agreement(rated(table))
    json.dumps(result, allow_nan=False)
    for found in coefficients(result).values():
        assert found["value"] is not None
        assert (found["low"] is None) == (found["refused"] is not None)

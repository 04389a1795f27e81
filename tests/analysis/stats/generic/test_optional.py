"""An optional headline: annotations without one enter no number of it, and break none."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.stats.comparison.generic import comparison
from analysis.stats.generic.across import across
from analysis.stats.generic.agreement import agreement_of_values as agreement
from analysis.stats.generic.stages import Stages, stages
from analysis.stats.generic.values import values_of
from scoring.realism.protocol import REALISM
from tests.analysis.protocols.realism.making import rated
from tests.analysis.stats.generic.making import presence, rows_of

TABLE = {"a": "2 9 x 4 6 7 x", "b": "3 x 5 4 7 7 x", "c": "2 8 5 5 6 8 x"}


def test_a_missing_value_is_not_a_number() -> None:
    frame = rated(TABLE)
    assert np.isnan(frame.headline).sum() == 5
    assert (len(frame), len(frame.with_headline)) == (21, 16)
    assert np.isnan(values_of([["invalid", "no_person", "1/1"]], REALISM)["rating"][0])


def test_means_are_of_the_values_there_are() -> None:
    (row,) = rows_of(comparison(rated(TABLE)), "generators")
    means = [7 / 3, 8.5, 5, 13 / 3, 19 / 3, 22 / 3]
    assert (row["annotations"], row["images"]) == (16, 6)
    assert row["mean"]["value"] == pytest.approx(np.mean(means))


def test_alpha_is_of_images_with_two_values() -> None:
    rows = {row["variable"]: row for row in rows_of(agreement(rated(TABLE)), "agreement")}
    assert rows["Realism"]["images"] == 6
    assert rows["Invalid"]["images"] == 7


def test_a_disagreement_without_a_value_has_none() -> None:
    found = rows_of(agreement(rated({"a": "x 3", "b": "7 9"})), "disagreements")
    scores = {entry["image"]: (entry["scores"], entry["difference"]) for entry in found}
    assert scores == {1: ([None, 7.0], 0.0), 2: ([3.0, 9.0], 6.0)}


def test_other_reports_leave_out_images_without_a_value() -> None:
    other = presence([(image, "a", "extra.face" if image % 2 else "") for image in range(1, 8)])
    (row,) = rows_of(across(rated(TABLE), [other]), "across")
    assert row["images"] == 6
    result = stages(Stages(rated(TABLE), other, None))
    assert {row["images"]: row["count"] for row in rows_of(result, "images")}["annotated in both stages"] == 6

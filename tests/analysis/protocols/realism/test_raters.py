"""Raters of realism: biases and inconsistencies with intervals, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from analysis.protocols.realism.images import RatedImages
from analysis.protocols.realism.raters import biases, inconsistencies, realism_annotators
from analysis.stats.frames import Ints
from tests.analysis.protocols.realism.making import WORKED, rated
from tests.analysis.stats.generic.making import rows_of


def drawn(images: int) -> Ints:
    """Return (4, images) ratings with noise."""
    draw = np.random.default_rng(11)
    noise = draw.integers(-2, 3, (4, images))
    return np.asarray(np.clip(draw.integers(3, 9, images) + noise, 1, 10))


def table(ratings: Ints) -> dict[str, str]:
    """Return the ratings by rater."""
    return {f"r{rater}": " ".join(map(str, row)) for rater, row in enumerate(ratings)}


def test_a_bias_has_students_interval() -> None:
    ratings = drawn(30)
    found = biases(RatedImages(rated(table(ratings))))
    away = ratings - ratings.mean(axis=0)
    for each, own in zip(found, away, strict=True):
        low, high = stats.t.interval(0.95, len(own) - 1, own.mean(), stats.sem(own))
        assert (each["value"], each["low"], each["high"]) == pytest.approx((own.mean(), low, high))


def test_inconsistency_is_the_standard_deviation_from_the_others() -> None:
    ratings = drawn(30)
    for rater, each in enumerate(inconsistencies(RatedImages(rated(table(ratings))))):
        others = np.delete(ratings, rater, axis=0).mean(axis=0)
        expected = np.std(ratings[rater] - others, ddof=1)
        assert each["value"] == pytest.approx(expected)
        assert each["low"] is not None
        assert each["high"] is not None
        assert each["low"] < expected < each["high"]


def test_inconsistency_is_refused_below_20_images() -> None:
    found = inconsistencies(RatedImages(rated(table(drawn(19)))))
    assert [each["refused"] for each in found] == ["too few: 19 of 20 images"] * 4
    assert all(each["value"] is None for each in found)


def test_invalid_votes_are_counted_by_rater() -> None:
    rows = {row["annotator"]: row for row in rows_of(realism_annotators(rated(WORKED)), "raters")}
    found = [rows[rater]["invalid"] for rater in "abcde"]
    assert [each["value"] for each in found] == [1 / 6, 1 / 6, 2 / 6, 0, 0]
    for each, votes in zip(found, (1, 1, 2, 0, 0), strict=True):
        exact = stats.binomtest(votes, 6).proportion_ci(method="exact")
        assert (each["low"], each["high"], each["n_units"]) == pytest.approx((exact.low, exact.high, 6))
    assert rows["a"]["annotations"] == 6


@pytest.mark.parametrize(
    ("raters", "invalid", "words"),
    [
        (5, 0, "among five values none is further than 1.79 standard deviations from their mean, so its"),
        (6, 0, "could apply: among 6 values one can be 2.04 standard deviations from their mean."),
        (6, 1, "its rules could never apply"),
        (7, 1, "among 6 values one can be 2.04"),
    ],
)
def test_whether_a_screening_could_apply_follows_from_the_ratings_of_an_image(
    raters: int, invalid: int, words: str
) -> None:
    votes = ["x"] * invalid + ["7"] * (raters - invalid)
    by_rater = {f"r{place}": f"{vote} {'5' if place < 3 else '-'}" for place, vote in enumerate(votes)}
    assert words in realism_annotators(rated(by_rater))["tables"][0]["words"]


def test_who_shares_no_image_has_no_bias() -> None:
    found = biases(RatedImages(rated({"a": "5 6 -", "b": "6 6 -", "c": "- - 9"})))
    assert [each["refused"] for each in found][2] == "no images shared with others"
    assert found[2]["value"] is None

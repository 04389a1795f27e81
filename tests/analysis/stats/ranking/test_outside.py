"""Outside metrics beside people: against scipy, by image and by generator, and what is too little."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from analysis.stats.ranking.outside import OutsideMetric, kendall, outside_table
from tests.analysis.stats.ranking.making import WORKED, scored


def rows_of(values: list[float], table: dict[str, Any] = WORKED) -> dict[str, dict[str, Any]]:
    images = scored(table)
    found = outside_table(images, [OutsideMetric("clip", dict(enumerate(values)))])
    names = [column["name"] for column in found["columns"]]
    return {row[1]: dict(zip(names, row, strict=True)) for row in found["rows"]}


def test_both_are_those_of_scipy() -> None:
    scores = [score for row in WORKED.values() for score in row]
    values = [0.9, 0.7, 0.8, 0.8, 0.3, 0.5, 0.4, 0.2, 0.4, 0.6, 0.1, 0.2]
    row = rows_of(values)["image"]
    assert row["images"] == 12
    assert row["spearman"]["value"] == pytest.approx(stats.spearmanr(scores, values).statistic, abs=1e-12)
    assert row["kendall"]["value"] == pytest.approx(stats.kendalltau(scores, values).statistic, abs=1e-12)
    for name in ("spearman", "kendall"):
        assert row[name]["low"] < row[name]["value"] < row[name]["high"] <= 1


def test_the_jackknife_leaves_out_each_image_in_turn() -> None:
    rng = np.random.default_rng(3)
    one, two = rng.integers(1, 10, 40).astype(float), rng.integers(1, 10, 40).astype(float)
    without = [stats.kendalltau(np.delete(one, i), np.delete(two, i)).statistic for i in range(40)]
    error = (39 / 40 * ((np.array(without) - np.mean(without)) ** 2).sum()) ** 0.5
    found = kendall(one, two, 5)
    assert found["low"] is not None
    assert found["value"] is not None
    assert found["value"] - found["low"] == pytest.approx(stats.t.ppf(0.975, 39) * error, abs=1e-9)


def test_generators_are_related_by_their_means_over_prompts() -> None:
    # Means of the metric: 3, 1, 2, those of the score: 8.25, 4.625, 4.125.
    row = rows_of([3, 3, 3, 3, 1, 1, 1, 1, 2, 2, 2, 2])["generator"]
    assert row["spearman"]["value"] == pytest.approx(0.5)
    assert row["kendall"]["value"] == pytest.approx(1 / 3)
    # The metric never changes with the prompts; B and C are level or swapped in some resamples.
    assert row["spearman"]["low"] == pytest.approx(0.5)
    assert row["spearman"]["high"] == pytest.approx(1.0)
    assert row["kendall"]["n_units"] == 3


def test_too_little_is_refused_with_its_reason() -> None:
    rows = rows_of([1, 2], {"gA": [8, 9], "gB": [4, 5]})
    assert (rows["image"]["images"], rows["image"]["kendall"]["refused"]) == (2, "too few: 2 images")
    assert rows["generator"]["spearman"]["refused"].startswith("too few")
    same = rows_of([1.0] * 12)
    assert same["image"]["kendall"]["refused"] == "all values are equal"
    assert same["generator"]["kendall"]["refused"] == "all values are equal"


def test_many_images_are_drawn_by_a_fixed_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("analysis.stats.ranking.outside.MOST", 20)
    rng = np.random.default_rng(3)
    one, two = rng.random(50), rng.random(50)
    found = kendall(one, two, 1)
    assert found == kendall(one, two, 1)
    assert found["n_units"] == 20


def test_the_last_bits_of_equal_means_break_no_tie() -> None:
    exact = np.array([15.0, 15, 40, 40, 5, 90, 60, 60])
    noisy = np.array([(0.1 + 0.2) / 2, 0.15, 0.4, 0.1 + 0.3, 0.05, 0.9, 0.6, 0.1 + 0.2 + 0.3])
    other = np.array([1.0, 2, 3, 4, 5, 6, 7, 8])
    assert kendall(noisy, other, 2)["value"] == pytest.approx(stats.kendalltau(exact, other).statistic)

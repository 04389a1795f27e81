"""Comparison and annotators of any protocol, beside scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from analysis.stats.estimates import TOO_WIDE
from analysis.stats.generic.comparison import comparison
from scoring.grid.taxonomy import CELL_BY_KEY
from tests.analysis.stats.generic.making import presence, rows_of, stars

# Images of a are even, of b odd; image 0 was judged twice and counts as 3.
ANSWERS = [
    (0, "A", 4), (0, "B", 2), (2, "A", 1), (4, "A", 2), (6, "B", 3),
    (1, "A", 5), (3, "B", 4), (5, "A", 4), (7, "B", 5),
]  # fmt: skip
OF_A, OF_B = [3, 1, 2, 3], [5, 4, 4, 5]


def test_means_are_over_images() -> None:
    found = rows_of(comparison(stars(ANSWERS)), "generators")
    assert [(row["generator"], row["annotations"], row["images"]) for row in found] == [
        ("a", 5, 4),
        ("b", 4, 4),
    ]
    for row, scores in zip(found, (OF_A, OF_B), strict=True):
        low, high = stats.t.interval(0.95, 3, np.mean(scores), stats.sem(scores))
        low, high = max(low, 1), min(high, 5)  # stars go from 1 to 5
        assert row["variance"] == pytest.approx(np.var(scores, ddof=1))
        assert [row["mean"][end] for end in ("value", "low", "high")] == pytest.approx(
            [np.mean(scores), low, high]
        )
    assert [row["mean"]["n_coders"] for row in found] == [2, 2]


def test_generators_are_compared_as_scipy_does() -> None:
    (row,) = rows_of(comparison(stars(ANSWERS)), "generator_comparisons")
    known = stats.ttest_ind(OF_A, OF_B, equal_var=False)
    assert (row["a"], row["b"]) == ("a", "b")
    assert [row["t"], row["df"], row["p"], row["p_holm"]] == pytest.approx(
        [known.statistic, known.df, known.pvalue, known.pvalue]
    )
    interval = known.confidence_interval(0.95)
    assert [row["difference"][end] for end in ("value", "low", "high")] == pytest.approx(
        [-2.25, interval.low, interval.high]
    )
    result = comparison(stars(ANSWERS))
    assert result["findings"] == [{"code": "difference", "table": "generator_comparisons", "row": 0}]


def test_a_difference_that_may_be_anything_has_no_interval() -> None:
    """Marked cells are 0 to 25, so no difference is beyond 25; p stays."""
    cells = " ".join(list(CELL_BY_KEY)[:12])
    answers = [(0, "A", cells), (2, "A", ""), (1, "A", cells), (3, "A", "")]
    (row,) = rows_of(comparison(presence(answers)), "generator_comparisons")
    for key in ("difference", "simultaneous"):
        assert [row[key][end] for end in ("value", "low", "high", "refused")] == [0.0, None, None, TOO_WIDE]
    assert (row["p"], row["p_holm"]) == (1.0, 1.0)


def test_one_generator_is_compared_with_none() -> None:
    assert rows_of(comparison(stars(ANSWERS, generators="a")), "generator_comparisons") == []


def test_components_by_generator() -> None:
    answers = [(0, "A", "extra.hands"), (0, "B", ""), (2, "A", "extra.hands missing.face"), (1, "A", "")]
    found = {row["component"]: row for row in rows_of(comparison(presence(answers)), "components")}
    assert len(found) == 25
    assert found["extra.hands"] == {
        "variable": "Error present", "component": "extra.hands", "generator a": 0.75, "generator b": 0,
    }  # fmt: skip
    assert found["missing.face"]["generator a"] == 0.5

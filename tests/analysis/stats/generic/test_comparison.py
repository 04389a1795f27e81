"""Comparison and annotators of any protocol, beside scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from analysis.stats.comparison.generators import BY_ANNOTATION, BY_IMAGE
from analysis.stats.comparison.generic import comparison
from analysis.stats.estimates import TOO_WIDE
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


def test_the_plain_tests_are_those_of_scipy() -> None:
    result = comparison(stars(ANSWERS))
    tests = {row["method"]: row for row in rows_of(result, "plain")}
    # Stars begin at 1, so that there is no model of log(1 + score).
    assert set(tests) == {BY_IMAGE, BY_ANNOTATION}
    for method, scores in ((BY_IMAGE, (OF_A, OF_B)), (BY_ANNOTATION, ([4, 2, 1, 2, 3], OF_B))):
        known = stats.ttest_ind(*scores, equal_var=False)
        row = tests[method]
        assert (row["a"], row["b"]) == ("a", "b")
        assert (row["p"], row["p_holm"]) == pytest.approx((known.pvalue, known.pvalue))
        interval = known.confidence_interval(0.95)
        assert [row["difference"][end] for end in ("value", "low", "high")] == pytest.approx(
            [np.mean(scores[0]) - np.mean(scores[1]), interval.low, interval.high]
        )


def test_a_difference_that_may_be_anything_has_no_interval() -> None:
    """Marked cells are 0 to 25, so no difference is beyond 25; p stays."""
    cells = " ".join(list(CELL_BY_KEY)[:12])
    answers = [(0, "A", cells), (2, "A", ""), (1, "A", cells), (3, "A", "")]
    row = next(row for row in rows_of(comparison(presence(answers)), "plain") if row["method"] == BY_IMAGE)
    assert [row["difference"][end] for end in ("value", "low", "high", "refused")] == [
        *(0.0, None, None, TOO_WIDE)
    ]
    assert (row["p"], row["p_holm"]) == (1.0, 1.0)


def test_one_generator_is_compared_with_none() -> None:
    result = comparison(stars(ANSWERS, generators="a"))
    assert rows_of(result, "differences") == []
    assert "plain" not in {table["name"] for table in result["tables"]}
    assert result["findings"] == [{"code": "no_model", "table": "differences", "row": None}]


def test_components_by_generator() -> None:
    answers = [(0, "A", "extra.hands"), (0, "B", ""), (2, "A", "extra.hands missing.face"), (1, "A", "")]
    found = {row["component"]: row for row in rows_of(comparison(presence(answers)), "components")}
    assert len(found) == 25
    assert found["extra.hands"] == {
        "variable": "Error present", "component": "extra.hands", "generator a": 0.75, "generator b": 0,
    }  # fmt: skip
    assert found["missing.face"]["generator a"] == 0.5

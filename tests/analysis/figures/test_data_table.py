"""What figures draw is what the result says."""

from __future__ import annotations

import copy

import pytest

from analysis.figures.generic import figure
from tests.analysis.figures.conftest import results
from tests.analysis.stats.generic.making import rows_of


@pytest.mark.parametrize("slug", ["error_types-shares", "body_parts-shares"])
def test_bars_of_severities_hold_all_marks(slug: str) -> None:
    result = results()["comparison"]
    found = figure(result, slug)
    assert found is not None
    for severity, letter in (("mild", "a"), ("moderate", "b"), ("severe", "c")):
        whole = sum(row["images"] * row[letter] for row in rows_of(result, "generators")) / 48
        assert sum(row[severity] for row in found.rows) == pytest.approx(whole)
        drawn = [row["sum"] for row in found.drawn["sums"] if row["severity"] == severity]
        assert sum(drawn) == pytest.approx(whole)


def test_maps_of_estimates_hold_the_numbers_of_their_tables() -> None:
    result = results()["agreement"]
    for slug, label in (("by_cell", "body_part"), ("ladder", "part")):
        found = figure(result, {"by_cell": "cell-alphas"}.get(slug, slug))
        assert found is not None
        rows = rows_of(result, slug)
        expected = [
            (row[label], each["value"]) for row in rows for each in row.values() if isinstance(each, dict)
        ]
        assert [(row["name"], row["value"]) for row in found.rows] == expected


@pytest.mark.parametrize("deepest", [-0.31, -0.8, -1.64])
def test_the_axis_of_pair_alphas_holds_every_interval(deepest: float) -> None:
    made = copy.deepcopy(results()["agreement"])
    pairs = next(table for table in made["tables"] if table["name"] == "pairs")
    pairs["rows"][1][2] |= {"value": deepest + 0.5, "low": deepest, "high": 0.9}
    found = figure(made, "pair-alphas")
    assert found is not None
    start, end = found.view["spec"]["layer"][-1]["encoding"]["x"]["scale"]["domain"]
    ends = [
        row[key]
        for row in found.drawn["estimates"]
        for key in ("low", "value", "high")
        if row[key] is not None
    ]
    assert (min(ends) <= deepest, max(ends) <= end) == (True, True)
    assert min(ends) - 0.1 < start <= min(ends)

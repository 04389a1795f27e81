"""Figures of results that are lists of tables: named by the result, valid, with their tables' numbers."""

from __future__ import annotations

import json
from typing import Any

import altair
import pytest

from analysis.figures.drawing import svg
from analysis.figures.generic import figure
from analysis.protocols.realism.comparison import realism_comparison
from analysis.stats.comparison.generic import comparison
from analysis.stats.estimates import refused
from analysis.stats.generic.tables import ResultColumn, table
from tests.analysis.protocols.realism.making import WORKED, rated
from tests.analysis.stats.generic.making import presence, rows_of, stars


def test_intervals_are_those_of_the_table() -> None:
    result: dict[str, Any] = comparison(stars([(1, "ada", 2), (2, "ada", 4), (3, "ada", 3), (4, "ada", 5)]))
    found = figure(result, "generators-intervals")
    assert found is not None
    means = {row["generator"]: row["mean"] for row in rows_of(result, "generators")}
    assert {row["name"]: (row["value"], row["low"]) for row in found.rows} == {
        name: (mean["value"], mean["low"]) for name, mean in means.items()
    }
    assert found.description.endswith("Highest: a (4.50); lowest: b (2.50).")


def test_a_map_has_a_place_for_every_column_of_numbers() -> None:
    result: dict[str, Any] = comparison(presence([(1, "ada", "extra.hands"), (2, "ada", "")]))
    found = figure(result, "components-heat")
    assert found is not None
    assert len(found.rows) == 25 * 2
    assert [row["value"] for row in found.rows if row["name"] == "extra.hands"] == [0.0, 1.0]
    assert found.description.endswith("Highest: extra.hands, b (1.00).")


def test_bars_are_those_of_the_table_in_a_panel_for_each_generator() -> None:
    result = json.loads(json.dumps(realism_comparison(rated(WORKED, generators=["gA", "gB"] * 3))))
    found = figure(result, "distribution-histogram")
    assert found is not None
    counts = {(row["panel"], row["from"]): row["count"] for row in found.rows if row["count"]}
    steps = rows_of(result, "distribution")
    assert counts == {
        (name, row["from"]): row[f"generator {name}"]
        for name in ("gA", "gB")
        for row in steps
        if row[f"generator {name}"]
    }
    # 3.5 and 6.5 of gA, 9, 8 and 2 of gB.
    assert [sum(row["count"] for row in found.rows if row["panel"] == name) for name in ("gA", "gB")] == [
        2,
        3,
    ]
    altair.Chart.from_dict(found.spec())
    assert "<svg" in svg(found)


NOT_SHARED = refused("no image is shared", method="none", n_units=0, n_coders=0)


@pytest.mark.parametrize("rows", [[], [["a", NOT_SHARED]]])
def test_where_nothing_can_be_drawn_it_says_why(rows: list[list[Any]]) -> None:
    columns = (ResultColumn("name", "Name"), ResultColumn("mean", "Mean", "estimate"))
    named = {"kind": "intervals", "table": "t", "title": "T", "label": "name", "value": "mean"}
    result = {"tables": [table("t", "T", "", columns, rows)], "figures": [named]}
    found = figure(result, "t-intervals")
    assert found is not None
    assert found.refused == (rows[0][1]["refused"] if rows else "there is nothing to compare")

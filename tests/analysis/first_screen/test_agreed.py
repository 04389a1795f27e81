"""Alphas on one axis, which begins below 0 only if an alpha or its interval does."""

from __future__ import annotations

from typing import Any

from analysis.first_screen.agreed import Measure, agreed
from analysis.stats.generic.tables import ResultColumn, table
from tests.analysis.blank import blank


def alpha(value: float | None, low: float | None = None, high: float | None = None) -> dict[str, Any]:
    return {"value": value, "low": low, "high": high}


def stated(*rows: list[Any]) -> dict[str, Any]:
    columns = [ResultColumn(name, name) for name in ("variable", "level", "pooled")]
    return {"tables": [table("agreement", "", "", columns, rows)]}


def test_every_alpha_with_a_value_is_on_the_axis() -> None:
    found = agreed(
        stated(
            ["Score", "interval", alpha(0.5, 0.25, 0.75)],
            ["Realism", "ordinal", alpha(None)],
            ["Severity", "ordinal", alpha(1.0)],
            ["Cells", "nominal", alpha(0.45, 0.4, 0.5)],
            ["Cells: AC1", None, alpha(0.7, 0.6, 0.8)],
        )
    )
    assert found is not None
    assert found.measures == (
        Measure("Score", "0.50", "0.25 to 0.75", "50.00%", "25.00%", "75.00%"),
        Measure("Severity", "1.00", "no interval", "100.00%", "", ""),
        Measure("Cells", "0.45", "0.40 to 0.50", "45.00%", "40.00%", "50.00%"),
    )
    assert found.marks == (
        ("0.00%", "0", "chance"),
        ("66.70%", "0.667", "usual minimum"),
        ("100.00%", "1", "perfect"),
    )


def test_the_axis_holds_what_is_below_chance() -> None:
    found = agreed(stated(["Score", "interval", alpha(0.0, -0.6, 0.5)]))
    assert found is not None
    (one,) = found.measures
    assert (one.low, one.at, one.high) == ("8.57%", "42.86%", "71.43%")
    assert found.marks[0] == ("42.86%", "0", "chance")


def test_without_values_there_is_no_picture() -> None:
    assert agreed(blank("agreement")) is None

"""Verdicts of a quality report in words."""

from __future__ import annotations

from typing import Any

import pytest

from analysis.tables.quality import quality_line, reasons_of, title_of


def test_repeats_are_called_different_with_the_interval_that_shows_it() -> None:
    alpha = {"value": -0.02, "low": -0.41, "high": 0.36}
    line = {"reasons": ["unstable"], "repeats": {"pairs": 10, "alpha": alpha}}
    said = "Judges images differently the second time: alpha −0.02 [−0.41, 0.36], 10 repeats"
    assert reasons_of(line, {"settings": {}}) == [said]


def section(name: str, columns: list[str], rows: list[list[Any]], *lines: dict[str, Any]) -> Any:
    table = {"name": name, "columns": [{"name": each} for each in columns], "rows": rows}
    return quality_line(name, {"tables": [table], "lines": lines})


@pytest.mark.parametrize(
    ("verdicts", "title"),
    [
        (["stop", "stop"], "2 annotators to check"),
        (["look", "stop", "fine"], "1 annotator to check, 1 to look at, 1 fine"),
        (["fine"] * 3, "3 annotators fine"),
    ],
)
def test_the_verdicts_in_one_sentence(verdicts: list[str], title: str) -> None:
    assert title_of([{"verdict": verdict} for verdict in verdicts]) == title


def test_a_section_without_numbers_says_so() -> None:
    line = {"annotator": "ada", "reasons": []}
    assert section("anchors", ["anchors"], [[0]], line) == ("No anchors yet", "")
    assert section("anchors", ["anchors"], [[9], [3]], line) == ("Nobody is lately away", "12 anchors")
    away = {"annotator": "bob", "reasons": ["away"]}
    named = section("anchors", ["anchors"], [[9], [10]], line, away)
    assert named == ("Lately away from the references: bob", "19 anchors")
    assert section("anchors", ["anchors"], []) is None
    assert section("repeats", ["pairs", "alpha"], [[0, {"value": None}]]) == ("No repeats yet", "")
    none = section("repeats", ["pairs", "alpha"], [[3, {"value": None}]])
    assert none == ("Too few repeats for alpha", "3 repeats")
    some = [[10, {"value": value}] for value in (0.5, None, -0.02)]
    found = section("repeats", ["pairs", "alpha"], some)
    assert found == ("Alpha of annotators with themselves −0.02 to 0.50", "30 repeats")
    timeless = section("speed", ["annotator", "median"], [["ada", None]])
    assert timeless == ("No times are known", "1 annotator")
    assert section("repeats", ["pairs", "alpha"], []) is None

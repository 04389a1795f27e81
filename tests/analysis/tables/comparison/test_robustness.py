"""The comparison under other choices as a table, a line and a finding."""

from __future__ import annotations

from typing import Any

import pytest

from analysis.stats.comparison.comparison import comparison
from analysis.stats.frames import RatingsFrame
from analysis.tables.comparison.robustness import (
    robustness_findings,
    robustness_line,
    robustness_tables,
)
from analysis.tables.table import Table


@pytest.fixture(scope="module")
def result(study_frame: RatingsFrame) -> dict[str, Any]:
    return comparison(study_frame)


def texts(table: Table) -> list[list[str]]:
    return [[cell.text for cell in row] for row in table.rows]


@pytest.mark.study
def test_the_published_study(result: dict[str, Any]) -> None:
    table, sizes = robustness_tables(result)
    rows = texts(table)
    assert [heading.text for heading in table.headings] == [
        "Choice",
        *("dall-e3 – sdxl", "dall-e3 – stablecascade", "sdxl – stablecascade"),
        *("Order", "Verdicts"),
    ]
    assert rows[0] == [
        "As reported, over images",
        *("−1.29 (−1.78 to −0.80)", "−0.97 (−1.54 to −0.40)", "0.32 (−0.36 to 1.00)"),
        *("the same", "the same"),
    ]
    by_choice = {row[0]: row[-1] for row in rows}
    assert by_choice["Adjusted for annotator and prompt"] == "the same"
    assert by_choice["Ranks, in percent of the images"] == "sdxl – stablecascade clear"
    assert by_choice["Prompt as the unit, paired"] == "dall-e3 – stablecascade not clear"
    assert by_choice["Weights 0 / 0 / 1"] == "the same"
    # Of what is left out, what changes the result comes first.
    left_out = [row[0] for row in rows if row[0].startswith("Without")]
    assert left_out[0] == "Without the prompt “five people sunbathing on beach”"
    assert left_out[-1] == "Without annotator anno4"
    assert texts(sizes)[-1] == ["1.00", "38", "27 to 54", "9", "6 to 17"]


@pytest.mark.study
def test_one_line_and_a_finding(result: dict[str, Any]) -> None:
    line = "The order holds in all 23 other analyses, the verdicts in 20 of 23"
    assert robustness_line(result) == (line, "23 analyses")
    (said,) = robustness_findings(result)
    assert said.text == (
        f"{line}. Different: Prompt as the unit, paired; Ranks, in percent of the images; Without the prompt "
        "“five people sunbathing on beach”."
    )

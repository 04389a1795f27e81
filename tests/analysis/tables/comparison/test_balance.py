"""Tables of who judged what, and of adjusted means."""

from __future__ import annotations

from typing import Any

from analysis.stats.comparison.comparison import comparison
from analysis.tables.comparison.comparison import comparison_tables
from analysis.tables.comparison.lines import LINES
from analysis.tables.comparison.other_findings import group_findings
from analysis.tables.table import Table
from tests.analysis.stats.conftest import framed, rated

WEIGHTS = {"a": 0.2, "b": 0.5, "c": 1.0}


def tables(annotators: str = "ab") -> dict[str, Table]:
    rows = [
        rated(
            k,
            annotators[k // 2 % len(annotators)],
            {"missing.face": f"1/{2 + k * 5 % 7}c"},
            generator="xy"[k % 2],
            prompt=f"p{k // 3 % 3}",
        )
        for k in range(28)
    ]
    return {table.slug: table for table in comparison_tables(comparison(framed(*rows)))}


def texts(table: Table) -> list[list[str]]:
    return [[cell.text for cell in row] for row in table.rows]


def test_balance_comes_first() -> None:
    made = tables()
    assert list(made)[:3] == ["balance", "balance_prompts", "adjusted_differences"]
    assert texts(made["balance"]) == [["a", "7", "7", "14"], ["b", "7", "7", "14"]]
    assert [heading.text for heading in made["balance"].headings] == ["Annotator", "x", "y", "Total"]
    assert [row[0] for row in texts(made["balance_prompts"])] == ["p0", "p1", "p2"]


def test_many_annotators_are_shown_by_their_range() -> None:
    table = tables("abcdefghijklmn")["balance_prompts"]
    assert [heading.text for heading in table.headings] == ["Prompt", "Fewest", "Most", "Total"]
    assert texts(table)[0][1:] == ["0", "2", "10"]
    assert "With 14 annotators, only the range is shown" in table.words


def uneven() -> dict[str, Any]:
    """bo gives 4/12 more and judges mostly easy; prompt hard is 1/12 worse. Two in five are shared."""
    rows = []
    for k in range(120):
        prompt = ("easy", "hard")[k % 2]
        bo = (k // 2 % 5 > 0) == (prompt == "easy")
        affected = 2 + 4 * bo + (prompt == "hard") + k // 2 % 3
        generator = "xy"[k // 10 % 2]
        rows.append(
            rated(
                k,
                "bo" if bo else "ada",
                {"missing.face": f"{affected}/12c"},
                generator=generator,
                prompt=prompt,
            )
        )
    return comparison(framed(*rows))


def test_adjusted_means_of_prompts_stand_beside_raw_ones() -> None:
    table = {each.slug: each for each in comparison_tables(uneven())}["prompts_images"]
    titles = [heading.text for heading in table.headings]
    at = titles.index("Adjusted mean")
    assert titles[at - 1 : at + 1] == ["95% interval", "Adjusted mean"]
    means = {row[0].text: (row[1].text, row[at].text[:4]) for row in table.rows}
    # (2 + 4 * 4/5 + 1)/12 and (2 + 4 * 1/5 + 1 + 1)/12 raw; bo made half of all: 5/12 and 6/12.
    assert means == {"easy": ("0.52", "0.42"), "hard": ("0.40", "0.50")}
    heading = {each.slug: each for each in comparison_tables(uneven())}["generators_images"].headings
    assert "Adjusted mean" not in [each.text for each in heading]


def test_where_prompts_are_skewed_the_adjusted_means_lead() -> None:
    result = uneven()
    assert result["balance"]["spread"]["annotators_by_prompt"]["state"] == "skewed"
    line = LINES["by-prompt"][1](result)[0]
    assert line.startswith("Highest adjusted mean: hard (0.50)")
    (said,) = [one.text for one in group_findings(result) if "Adjusted for them" in one.text]
    assert said.startswith(
        "The prompts are spread unevenly over the annotators, so raw means of prompts and their tests are "
        "partly differences between annotators. Adjusted for them, the highest mean is that of hard, 0.50 ["
    )
    result["balance"]["spread"]["annotators_by_prompt"]["state"] = "chance"
    assert LINES["by-prompt"][1](result)[0].startswith("Highest mean: easy (0.52)")
    assert not [one for one in group_findings(result) if "Adjusted for them" in one.text]

"""Tables of who judged what, and of adjusted means."""

from __future__ import annotations

from analysis.stats.comparison.comparison import comparison
from analysis.tables.comparison import balance
from analysis.tables.comparison.comparison import comparison_tables
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
    return {table.slug: table for table in comparison_tables(comparison(framed(*rows)), WEIGHTS)}


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


def test_results_without_balance_have_no_table() -> None:
    assert balance.balance_tables({}) == []
    assert balance.adjusted_tables({}) == []

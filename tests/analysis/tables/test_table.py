"""Numbers as people read them, and tables for the terminal."""

from __future__ import annotations

import pytest

from analysis.tables.table import (
    Heading,
    RowsOnDemand,
    Table,
    TableCell,
    as_text,
    column,
    count,
    name,
    number,
    probability,
    table_of,
)
from analysis.tables.wording import rounded


@pytest.mark.parametrize(
    ("value", "places", "text"),
    [
        (0.4375, 2, "0.44"),
        (-0.054, 2, "−0.05"),
        (-0.001, 2, "0.00"),
        (0.0, 2, "0.00"),
        (1234.5, 1, "1,234.5"),
        (-1234.56, 1, "−1,234.6"),
        (-10.0, 0, "−10"),
    ],
)
def test_rounding(value: float, places: int, text: str) -> None:
    assert rounded(value, places) == text


def test_cells() -> None:
    assert number(None, 2, undefined="too few") == TableCell("–", numeric=True, note="too few")
    assert number(0.5, 2) == TableCell("0.50", numeric=True)
    assert count(1500) == TableCell("1,500", numeric=True)
    assert name("") == TableCell("(none)")


@pytest.mark.parametrize(
    ("value", "text"), [(0.0, "< 0.001"), (0.00099, "< 0.001"), (0.001, "0.001"), (0.2949, "0.295")]
)
def test_probabilities(value: float, text: str) -> None:
    assert probability(value) == TableCell(text, numeric=True)


def test_a_table_for_the_terminal() -> None:
    table = Table(
        slug="t",
        title="Pairs",
        words="What it shows.",
        headings=(Heading("Pair"), Heading("Alpha", numeric=True)),
        rows=((name("a – b"), number(0.5, 2)), (name("a – long name"), number(None, 2, undefined="too few"))),
    )
    assert as_text(table).splitlines() == [
        "Pairs",
        "What it shows.",
        "",
        "Pair           Alpha",
        "─────────────  ─────",
        "a – b           0.50",
        "a – long name      –",
        "a – long name, Alpha: too few",
    ]


def test_a_column_is_a_heading_and_what_makes_the_cells_below_it() -> None:
    columns = (
        column(name, "Who", "person.code"),
        column(count, "Images", lambda entry: entry["images"] * 2, "judged", severity="a", meaning="mild"),
    )
    entries = [{"person": {"code": "ada"}, "images": 600}, {"person": {"code": ""}, "images": 1}]
    table = table_of("t", "T", "Words.", columns, entries)
    assert table.headings == (Heading("Who"), Heading("Images", True, "judged", "a", "mild"))
    assert table.rows == (
        (TableCell("ada"), TableCell("1,200", numeric=True)),
        (TableCell("(none)"), TableCell("2", numeric=True)),
    )


def test_rows_on_demand_are_those_that_were_looked_at() -> None:
    made: list[int] = []

    def row(entry: int) -> tuple[TableCell, ...]:
        made.append(entry)
        return (count(entry),)

    rows = RowsOnDemand(range(5, 1005), row)
    assert (len(rows), made) == (1000, [])
    assert rows[:2] == ((count(5),), (count(6),))
    assert rows[-1] == (count(1004),)
    assert made == [5, 6, 1004]
    assert [cell.text for (cell,) in rows][-2:] == ["1,003", "1,004"]

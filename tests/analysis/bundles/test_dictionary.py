"""One source for what columns mean: the dictionary of a bundle and the page of data formats."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from analysis.bundles.dictionary import DICTIONARY_COLUMNS, described, plain
from analysis.bundles.entries import SHARED, TABLES, Entry
from analysis.bundles.tables import PICTURE_COLUMNS, PLAN_COLUMNS
from analysis.exports.columns import Column
from analysis.exports.layouts import LAYOUTS

PAGE = (Path(__file__).parents[3] / "docs" / "data-formats.md").read_text(encoding="utf-8")
# Table -> the heading its lines stand under.
HEADINGS = {
    "shared": "## Out: layouts and formats",
    "sheet": "### sheet",
    "scores": "### scores",
    "marks": "### marks",
    "images": "### images",
    "agreement": "### agreement and comparison",
    "comparison": "### agreement and comparison",
    "pictures": "### Tables of the bundle",
    "plan": "### Tables of the bundle",
    "dictionary": "### Tables of the bundle",
}
SOURCE: dict[str, tuple[Entry, ...]] = {"shared": SHARED, **TABLES}
COLUMNS: dict[str, tuple[Column, ...]] = {
    **{name: layout.columns for name, layout in LAYOUTS.items()},
    "pictures": PICTURE_COLUMNS,
    "plan": PLAN_COLUMNS,
    "dictionary": DICTIONARY_COLUMNS,
}


def lines_under(heading: str) -> list[str]:
    """Lines of the tables of columns below a heading, up to the next one."""
    section = PAGE.split(f"\n{heading}\n", 1)[1]
    section = re.split(r"\n#{2,3} ", section, maxsplit=1)[0]
    tables = re.split(r"\n\n", section)
    of_columns = [table for table in tables if table.lstrip().startswith("| column |")]
    return [line for table in of_columns for line in table.strip().splitlines()[2:]]


@pytest.mark.parametrize("table", SOURCE)
def test_the_page_says_what_the_dictionary_says(table: str) -> None:
    stands = lines_under(HEADINGS[table])
    for entry in SOURCE[table]:
        assert entry.documented in stands


@pytest.mark.parametrize("heading", dict.fromkeys(HEADINGS.values()))
def test_the_page_has_no_line_of_its_own(heading: str) -> None:
    tables = [table for table, stands in HEADINGS.items() if stands == heading]
    known = {entry.documented for table in tables for entry in SOURCE[table]}
    assert {line for line in lines_under(heading) if "| see above |" not in line} == known


@pytest.mark.parametrize("table", COLUMNS)
def test_every_column_has_an_entry_and_every_entry_a_column(table: str) -> None:
    found = list(described(table, COLUMNS[table]))
    names = {column.name for column in COLUMNS[table]}
    assert {one.column.name for one in found} == names
    assert {name for entry in TABLES[table] for name in entry.names} <= names
    for one in found:
        assert one.meaning
        assert one.values
        assert not re.search(r"[`\[\]]", one.meaning + one.values)


def test_a_column_nobody_described_is_found() -> None:
    with pytest.raises(LookupError, match="The column new of marks is not described"):
        list(described("marks", [Column("new")]))


def test_marks_of_the_page_are_taken_away() -> None:
    assert plain("as in [scores](#scores), *averaged*, `a / b`") == "as in scores, averaged, a / b"

"""One source for what columns mean: the dictionary of a bundle and the page of data formats."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from analysis.bundles.dictionary import DICTIONARY, DICTIONARY_COLUMNS, PICTURES, PLAN, described
from analysis.bundles.tables import PICTURE_COLUMNS, PLAN_COLUMNS
from analysis.exports.column_descriptions import SHARED, ColumnDescription
from analysis.exports.columns import ExportColumn
from analysis.exports.registry import layouts_of
from scoring.service import PROTOCOLS

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "data-formats.md").read_text(encoding="utf-8")


@dataclass(frozen=True)
class Table:
    """A table as the page has it: its lines stand under `heading`."""

    heading: str
    columns: tuple[ExportColumn, ...]
    entries: tuple[ColumnDescription, ...]


OF_BUNDLES = "### Tables of the bundle"
TABLES = {
    **{
        f"{slug} {name}": Table(
            f"### {name if slug == 'anatomy' else slug.replace('defect-', 'defect ').split()[0]}",
            layout.columns,
            layout.entries,
        )
        for slug in PROTOCOLS
        for name, layout in layouts_of(slug).items()
    },
    "pictures": Table(OF_BUNDLES, PICTURE_COLUMNS, PICTURES),
    "plan": Table(OF_BUNDLES, PLAN_COLUMNS, PLAN),
    "dictionary": Table(OF_BUNDLES, DICTIONARY_COLUMNS, DICTIONARY),
}
# The page leaves the variables of the stages of defects to the dictionary.
ON_PAGE = {
    name: table
    for name, table in TABLES.items()
    if not re.fullmatch(r"defect-\w+ (scores|ratings|images)", name)
}
SHARED_HEADING = "## Out: layouts and formats"


def lines_under(heading: str) -> list[str]:
    """Lines of the tables of columns below a heading, up to the next one."""
    section = PAGE.split(f"\n{heading}\n", 1)[1]
    section = re.split(r"\n#{2,3} ", section, maxsplit=1)[0]
    tables = re.split(r"\n\n", section)
    of_columns = [table for table in tables if table.lstrip().startswith("| column |")]
    return [line for table in of_columns for line in table.strip().splitlines()[2:]]


@pytest.mark.parametrize("table", ON_PAGE.values(), ids=ON_PAGE)
def test_the_page_says_what_the_dictionary_says(table: Table) -> None:
    stands = lines_under(table.heading)
    for entry in table.entries:
        assert entry.documented in stands
    for entry in SHARED:
        assert entry.documented in lines_under(SHARED_HEADING)


@pytest.mark.parametrize("heading", sorted({SHARED_HEADING, *(one.heading for one in ON_PAGE.values())}))
def test_the_page_has_no_line_of_its_own(heading: str) -> None:
    entries = SHARED if heading == SHARED_HEADING else ()
    of_tables = [entry for table in ON_PAGE.values() if table.heading == heading for entry in table.entries]
    known = {entry.documented for entry in (*entries, *of_tables)}
    assert {line for line in lines_under(heading) if "| see above |" not in line} == known


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_every_column_has_an_entry_and_every_entry_a_column(table: Table) -> None:
    found = described("table", table.columns, table.entries)
    names = {column.name for column in table.columns}
    assert {one.column.name for one in found} == names
    assert {name for entry in table.entries for name in entry.names} <= names
    for one in found:
        assert one.meaning
        assert one.values
        assert not re.search(r"[`\[\]]", one.meaning + one.values)

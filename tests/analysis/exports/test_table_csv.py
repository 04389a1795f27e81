"""A table as CSV."""

from __future__ import annotations

from analysis.exports.table_csv import table_csv
from analysis.tables.table import Heading, Table, TableCell, count, name, number


def test_plain_numbers_reasons_and_no_formulas() -> None:
    table = Table(
        slug="t",
        title="T",
        words="",
        headings=(Heading("Who"), Heading("n", numeric=True), Heading("Mean", numeric=True)),
        rows=(
            (name('=HYPERLINK("x")'), count(1234567), number(-1234.5, 1)),
            (name("a,b"), count(0), number(None, 2, undefined="too few: 1 image")),
            (name("c"), count(3), TableCell("−0.50 [−1.25, 1,000.75]", numeric=True)),
        ),
    )
    assert table_csv(table) == (
        "Who,n,Mean,Mean: why not\r\n"
        '"\'=HYPERLINK(""x"")",1234567,-1234.5,\r\n'
        '"a,b",0,,too few: 1 image\r\n'
        'c,3,"-0.50 [-1.25, 1000.75]",\r\n'
    )

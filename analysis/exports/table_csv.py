"""A report's table as CSV."""

from __future__ import annotations

import re

from analysis.exports.columns import Line, csv_text
from analysis.tables.table import Table, TableCell
from analysis.tables.wording import MINUS
from scoring.formula_guard import guarded

THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")


def table_csv(table: Table) -> str:
    """Return the table with plain numbers: no thousands separators, an ASCII minus, empty if undefined.

    A column of reasons follows a column with missing values.
    """
    rows = list(table.rows)
    noted = [any(row[place].note for row in rows) for place in range(len(table.headings))]
    names = [heading.text or heading.meaning or heading.severity for heading in table.headings]
    head = [text for name, note in zip(names, noted, strict=True) for text in _named(name, note)]
    lines = (
        [text for cell, note in zip(row, noted, strict=True) for text in _texts(cell, note)] for row in rows
    )
    return csv_text([head, *lines])


def _named(heading: str, noted: bool) -> Line:
    return [guarded(heading), f"{heading}: why not"] if noted else [guarded(heading)]


def _texts(cell: TableCell, noted: bool) -> Line:
    value = _plain(cell.text) if cell.numeric else guarded(cell.text)
    return [value, guarded(cell.note)] if noted else [value]


def _plain(number: str) -> str:
    return "" if number == "–" else THOUSANDS.sub("", number).replace(MINUS, "-")

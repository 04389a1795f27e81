"""Limits on the size of files, counted while reading, so that a small file cannot become a large table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from annotator.exchange.formats.report import StudyRefused

MOST_ROWS: Final = 1_048_576
"""Rows of a table, including empty ones: as many as in a spreadsheet."""
MOST_IMAGE_ROWS: Final = 500_000
"""Rows of a table of facts about images, which come back from the process that reads them."""
MOST_COLUMNS: Final = 500
MOST_CELLS: Final = 4_000_000
"""Cells of a table: 125,000 rows of the sheet, each as wide as the header."""
LONGEST_TEXT: Final = 32_767
"""Characters of a cell: as many as in a spreadsheet."""
MOST_TERMS: Final = 100
"""Terms read from one of the 25 cells, which can hold three; the rest are listed for repair."""
MOST_PROBLEMS: Final = 50_000
"""Unreadable terms of a file that are listed."""

Line = tuple[int, list[str]]
"""The number of a row, and its cells."""


def counted(name: str, lines: Iterable[Line]) -> Iterator[Line]:
    """Yield the rows of a table, numbered from 1, within the limits.

    Raises StudyRefused with the row that exceeds a limit and one of the codes `too_many_columns`,
    `too_many_rows`, `too_many_cells`.
    """
    cells = width = 0
    for number, row in lines:
        check_columns(name, number, len(row))
        width = width or len(row)
        cells += max(width, len(row)) if row else 0
        check_cells(name, number, cells)
        yield number, row


def check_columns(name: str, row: int, columns: int) -> None:
    """Raise StudyRefused for a row wider than any table of annotations."""
    if columns > MOST_COLUMNS:
        raise StudyRefused(
            f"{name} has {columns:,} columns in row {row:,}; at most {MOST_COLUMNS} are read. "
            "Delete the columns that do not belong to the table.",
            code="too_many_columns",
            row=row,
        )


def check_cells(name: str, row: int, cells: int) -> None:
    """Raise StudyRefused for a table with too many rows or cells."""
    if row > MOST_ROWS:
        raise StudyRefused(
            f"{name} has more than {MOST_ROWS:,} rows. Split it into parts, each with the header.",
            code="too_many_rows",
            row=row,
        )
    if cells > MOST_CELLS:
        raise StudyRefused(
            f"{name} has more than {MOST_CELLS:,} cells by row {row:,}. Split it into parts, each with the "
            "header, and delete the columns that do not belong to the table.",
            code="too_many_cells",
            row=row,
        )

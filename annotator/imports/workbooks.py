"""XLSX files: cells of text as they are; what a spreadsheet has made of a text is named, not guessed.

Reading one loads numpy with openpyxl: workers and commands do it, never the web process.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, time, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from zipfile import BadZipFile, ZipFile

from annotator.imports.names import printable, storable
from annotator.imports.report import StudyRefused

if TYPE_CHECKING:
    from openpyxl.worksheet.worksheet import Worksheet

MOST_UNPACKED: Final = 64 * 1024 * 1024
_MOST_PARTS: Final = 1000
_MOST_CELLS: Final = 5_000_000
_MOST_MERGED: Final = 100_000
_MERGED_RANGE: Final = re.compile(rb"mergeCell\s[^>]*?ref\s*=\s*[\"']([^\"']*)[\"']")
_SHOWN: Final = 60
_MERGED: Final = (
    "merged with others, so that nobody can tell to which rows it belongs; split it and fill in each"
)
_FORMULA: Final = "a formula; paste it as a value, in a column formatted as text"
_DATE: Final = (
    "a date: a spreadsheet makes one of a text such as 1/5, and which text it was is lost; "
    "format the column as text and type it again"
)
_NUMBER: Final = (
    "a number, not affected/total and a severity such as 1/4b; format the column as text and type it"
)
_ERROR: Final = "an error of the spreadsheet; type what belongs there"


@dataclass(frozen=True)
class Workbook:
    """The rows of the first visible sheet, and by row number the first cell that cannot be used, and why."""

    lines: tuple[tuple[int, list[str]], ...]
    faults: Mapping[int, tuple[int, str]]


def is_workbook(path: Path) -> bool:
    """Whether a file begins as XLSX (and any other zip) does."""
    try:
        with path.open("rb") as file:
            return file.read(4) == b"PK\x03\x04"
    except OSError:
        return False


def read_workbook(path: Path, *, text_columns: frozenset[str]) -> Workbook:
    """Read the first visible sheet; under the headings of `text_columns` numbers are refused, too.

    Raises StudyRefused where the file is damaged, too large unpacked, or no workbook.
    """
    sheet = _opened(path)
    merged = _merged(sheet)
    if any(row == 1 for row, _ in merged):
        raise StudyRefused(f"{path.name} has merged cells in its header. Split them: one heading a column.")
    lines: list[tuple[int, list[str]]] = []
    faults: dict[int, tuple[int, str]] = {}
    header: list[str] = []
    for number, row in enumerate(sheet.iter_rows(), start=1):
        texts = [_text(cell.value) for cell in row]
        while texts and not texts[-1]:
            texts.pop()
        header = header or texts
        # A row is as long as the sheet is wide, whatever stands at its end.
        texts += [""] * (len(header) - len(texts))
        fault = _fault(row, number, header, merged, text_columns) if number > 1 else None
        if fault is not None:
            faults[number] = fault
        lines.append((number, texts))
    return Workbook(tuple(lines), faults)


def _opened(path: Path) -> Worksheet:
    import openpyxl

    try:
        _check_size(path)
        _check_merged(path)
        book = openpyxl.load_workbook(path, data_only=False, keep_links=False)
    except StudyRefused:
        raise
    except Exception as error:
        # Broken zip and XML end in any of a dozen errors, NotImplementedError and TypeError among them.
        raise _damaged(path) from error
    for sheet in book.worksheets:
        if sheet.sheet_state == "visible":
            if sheet.max_row * sheet.max_column > _MOST_CELLS:
                raise StudyRefused(
                    f"{path.name} has cells far outside of its table. Save it as CSV in UTF-8."
                )
            return sheet
    raise StudyRefused(f"{path.name} has no visible sheet.")


def _check_size(path: Path) -> None:
    try:
        with ZipFile(path) as archive:
            parts = archive.infolist()
    except (BadZipFile, OSError, ValueError) as error:
        raise _damaged(path) from error
    # No part yields more than its directory says: a longer one ends as damaged.
    if len(parts) > _MOST_PARTS or sum(part.file_size for part in parts) > MOST_UNPACKED:
        limit = MOST_UNPACKED // (1024 * 1024)
        raise StudyRefused(f"{path.name} is larger than {limit} MB unpacked. Save it as CSV in UTF-8.")


def _check_merged(path: Path) -> None:
    """Refuse what would become millions of cells while it is opened."""
    from openpyxl.utils.cell import range_boundaries

    cells = 0
    with ZipFile(path) as archive:
        for part in archive.namelist():
            for match in _MERGED_RANGE.finditer(archive.read(part) if "worksheets/" in part else b""):
                first_column, first_row, last_column, last_row = range_boundaries(match[1].decode("ascii"))
                cells += ((last_row or 0) - (first_row or 0) + 1) * (
                    (last_column or 0) - (first_column or 0) + 1
                )
    if cells > _MOST_MERGED:
        raise StudyRefused(f"{path.name} has {cells:,} merged cells. Split them, or save it as CSV in UTF-8.")


def _damaged(path: Path) -> StudyRefused:
    return StudyRefused(f"{path.name} is damaged or not an XLSX file. Save it again, or as CSV in UTF-8.")


def _merged(sheet: Worksheet) -> set[tuple[int, int]]:
    rows, columns = sheet.max_row, sheet.max_column
    return {
        (row, column)
        for span in sheet.merged_cells.ranges
        for row in range(span.min_row, min(span.max_row, rows) + 1)
        for column in range(span.min_col, min(span.max_col, columns) + 1)
    }


def _fault(
    row: tuple[Any, ...],
    number: int,
    header: list[str],
    merged: set[tuple[int, int]],
    text_columns: frozenset[str],
) -> tuple[int, str] | None:
    """The first column (from 0) of a row that cannot be used, with what was found."""
    for place, cell in enumerate(row[: len(header)]):
        if (number, place + 1) in merged:
            return place, f"the cell is {_MERGED}"
        found = _found(cell, header[place] in text_columns)
        if found:
            return place, f"“{printable(_text(cell.value))[:_SHOWN]}” is {found}"
    return None


def _found(cell: Any, notation: bool) -> str:
    if cell.data_type == "f":
        return _FORMULA
    if cell.data_type == "e":
        return _ERROR
    if isinstance(cell.value, date | time | timedelta):
        return _DATE
    if notation and isinstance(cell.value, bool | int | float):
        return _NUMBER
    return ""


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return storable(str(value))

"""Workbooks of a size: small files that want much memory or time."""

from __future__ import annotations

import io
import zipfile
from typing import Final

import openpyxl

from scoring.grid.taxonomy import SHEET_COLUMNS

_MAIN: Final = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def workbook(sheet: str) -> bytes:
    """Return an ordinary workbook whose sheet is the caller's XML."""
    plain, changed = io.BytesIO(), io.BytesIO()
    openpyxl.Workbook().save(plain)
    own = {"xl/worksheets/sheet1.xml": sheet}
    with zipfile.ZipFile(plain) as before, zipfile.ZipFile(changed, "w", zipfile.ZIP_DEFLATED) as after:
        for name in before.namelist():
            after.writestr(name, own.get(name, before.read(name)))
    return changed.getvalue()


def cells(rows: str, after: str = "") -> str:
    """A sheet with these rows."""
    return f'<worksheet xmlns="{_MAIN}"><sheetData>{rows}</sheetData>{after}</worksheet>'


def merged_without_end(size: int) -> bytes:
    """The word that merges cells, again and again, in an element without an end."""
    return workbook(cells("<row><c/></row>", "<mergeCells>" + "<mergeCell " + "mergeCell " * size))


def merged_ranges(size: int) -> bytes:
    """Ranges of one cell each."""
    ranges = '<mergeCell ref="A2"/>' * size
    return workbook(cells("<row/>" * 3, f"<mergeCells>{ranges}</mergeCells>"))


def empty_cells(size: int) -> bytes:
    """One row of empty cells."""
    return workbook(cells(f"<row>{'<c/>' * size}</row>"))


def one_cell_again(size: int) -> bytes:
    """One row that repeats the same cell."""
    same = '<c r="A1"/>' * size
    return workbook(cells(f"<row>{same}</row>"))


def empty_rows(size: int) -> bytes:
    """Empty rows."""
    return workbook(cells("<row/>" * size))


def wide_rows(size: int) -> bytes:
    """A header of five hundred columns, and rows of one cell, each of which counts as five hundred."""
    headings = (*SHEET_COLUMNS, *range(500 - len(SHEET_COLUMNS)))
    header = "".join(f"<c t='str'><v>{heading}</v></c>" for heading in headings)
    return workbook(cells(f"<row>{header}</row>" + "<row><c t='str'><v>x</v></c></row>" * size))


def tag_without_end(size: int) -> bytes:
    """A cell whose tag does not end."""
    return workbook(cells(f'<row><c r="{"A" * size}'))


def nested(size: int) -> bytes:
    """Nested elements."""
    return workbook(cells("<a>" * size))

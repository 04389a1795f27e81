"""Read XLSX files; cells that a spreadsheet has converted are reported, not guessed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from zipfile import BadZipFile, ZipFile

from annotator.exchange.formats.names import printable
from annotator.exchange.formats.report import StudyRefused
from annotator.exchange.formats.workbook_cells import DATE, ERROR, FORMULA, NUMBER, Cells, WorkbookCell
from annotator.exchange.formats.workbook_parts import Damaged, read_book
from annotator.work.machine_faults import blames_machine

MOST_UNPACKED: Final = 64 * 1024 * 1024
_MOST_PARTS: Final = 1000
_SHOWN: Final = 60
_MERGED: Final = "merged with others, so its row is ambiguous; split it and fill in each cell"
_FORMULA: Final = "a formula; paste it as a value, in a column formatted as text"
_DATE: Final = (
    "a date: a spreadsheet converted a text such as 1/5 and lost the original; "
    "format the column as text and type it again"
)
_NUMBER: Final = (
    "a number, not affected/total and a severity such as 1/4b; format the column as text and type it"
)
_ERROR: Final = "a spreadsheet error; type the intended text"
_WORDS: Final = {FORMULA: _FORMULA, DATE: _DATE, NUMBER: _NUMBER, ERROR: _ERROR}


@dataclass(frozen=True)
class Workbook:
    """The rows of the first visible sheet, and by row the first unusable cell with its reason."""

    lines: tuple[tuple[int, list[str]], ...]
    faults: Mapping[int, tuple[int, str]]


def is_workbook(path: Path) -> bool:
    """Return whether a file starts like XLSX (or any zip)."""
    try:
        with path.open("rb") as file:
            return file.read(4) == b"PK\x03\x04"
    except OSError as error:
        if blames_machine(error):
            raise
        return False


def read_workbook(path: Path, *, text_columns: frozenset[str]) -> Workbook:
    """Read the first visible sheet; in `text_columns`, numbers are refused as well.

    Raises StudyRefused if the file is damaged, not a workbook, or beyond the limits.
    """
    try:
        with ZipFile(path) as archive:
            _check_size(path, archive)
            book = read_book(archive)
            if book.sheet is None:
                raise StudyRefused(f"{path.name} has no visible sheet.")
            return _read(path, Cells(path.name, archive, book.sheet, book), text_columns)
    except (BadZipFile, Damaged, OSError, ValueError, NotImplementedError) as error:
        if blames_machine(error):
            raise
        raise StudyRefused(
            f"{path.name} is damaged or not an XLSX file. Save it again, or as CSV in UTF-8.", code="damaged"
        ) from error


def _check_size(path: Path, archive: ZipFile) -> None:
    # A part longer than its directory entry is treated as damaged.
    parts = archive.infolist()
    if len(parts) > _MOST_PARTS or sum(part.file_size for part in parts) > MOST_UNPACKED:
        limit = MOST_UNPACKED // (1024 * 1024)
        raise StudyRefused(
            f"{path.name} is larger than {limit} MB unpacked. Save it as CSV in UTF-8.",
            code="too_large_unpacked",
        )


def _read(path: Path, cells: Cells, text_columns: frozenset[str]) -> Workbook:
    lines: list[tuple[int, list[str]]] = []
    faults: dict[int, tuple[int, str]] = {}
    header: list[str] = []
    for number, row in cells:
        texts = [cell.text for cell in row]
        if not lines and number > 1:
            lines.append((1, []))
        if not row and lines:
            continue
        header = header or texts
        # Rows are as wide as the sheet.
        texts += [""] * (len(header) - len(texts))
        fault = _fault(row, header, text_columns) if number > 1 else None
        if fault is not None:
            faults[number] = fault
        lines.append((number, texts))
    if 1 in cells.merged:
        raise StudyRefused(
            f"{path.name} has merged cells in its header. Split them: one heading per column.",
            code="merged_header",
            row=1,
        )
    for number, place in cells.merged.items():
        if place < len(header) and (number not in faults or place <= faults[number][0]):
            faults[number] = place, f"the cell is {_MERGED}"
    return Workbook(tuple(lines), faults)


def _fault(
    row: list[WorkbookCell], header: list[str], text_columns: frozenset[str]
) -> tuple[int, str] | None:
    """Return the first unusable column (from 0) of a row, with the reason."""
    for place, cell in enumerate(row[: len(header)]):
        if cell.kind and (cell.kind != NUMBER or header[place] in text_columns):
            return place, f"“{printable(cell.text)[:_SHOWN]}” is {_WORDS[cell.kind]}"
    return None

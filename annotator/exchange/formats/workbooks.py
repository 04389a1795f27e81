"""Read XLSX files; cells that a spreadsheet has converted are reported, not guessed.

openpyxl expands a hostile file before it can be counted, so it is called only in the process with limits on
memory and time (`annotator.exchange.child_process`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple
from zipfile import BadZipFile, ZipFile

from annotator.exchange.formats.budget import Line, counted
from annotator.exchange.formats.names import normal_form, printable, storable
from annotator.exchange.formats.report import StudyRefused
from annotator.work.machine_faults import blames_machine

MOST_UNPACKED: Final = 64 * 1024 * 1024
_MOST_PARTS: Final = 1000
_PIECE: Final = 64 * 1024
_SHOWN: Final = 60
_LONGEST_TAG: Final = 1024 * 1024
"""Bytes without the end of a tag; the longest text of a spreadsheet has 32,767 characters."""
_LONGEST_NAME: Final = 100
"""Bytes of the name of an element."""
_MERGED: Final = re.compile(rb"<(?:\w+:)?mergeCell[\s/>]")
_LONGEST_NUMBER: Final = 11
"""Digits that a spreadsheet shows of a whole number without a format; longer ones become 1.2E+11."""
IS_DATE: Final = (
    "a date: a spreadsheet converted a text such as 1/5 and lost the original; "
    "format the column as text and type it again"
)
_AS_TYPED: Final = ("General", "@")
_FORMULA: Final = "a formula; paste it as a value, in a column formatted as text"
_NUMBER: Final = (
    "a number, not affected/total and a severity such as 1/4b; format the column as text and type it"
)
_NUMBER_FOR_NAME: Final = (
    "a number in a column of names, which lose zeros and digits that way; format the column as text and "
    "type it"
)
_ERROR: Final = "a spreadsheet error; type the intended text"


Faults = dict[int, tuple[int, str]]
"""By row, its first unusable cell, from 0, and the reason."""


class _Column(NamedTuple):
    """What a column is for: `is_known` if it is read, `has_terms` or `has_names` in that kind of column."""

    is_known: bool
    has_terms: bool
    has_names: bool


def is_workbook(path: Path) -> bool:
    """Return whether a file starts like XLSX (or any zip)."""
    try:
        with path.open("rb") as file:
            return file.read(4) == b"PK\x03\x04"
    except OSError as error:
        if blames_machine(error):
            raise
        return False


def read_workbook(
    path: Path, faults: Faults, *, known: frozenset[str], terms: frozenset[str], names: frozenset[str]
) -> Iterator[Line]:
    """Yield the rows of the first visible sheet from its heading on, adding to `faults` before each.

    By the normal forms of headings: dates are refused in the `known` columns, numbers in those of `terms`,
    and in those of `names` numbers that are not shown as they were typed; formulas and errors in all.
    Raises StudyRefused if the file is damaged, not a workbook, beyond the limits, or has merged cells.
    """
    try:
        with ZipFile(path) as archive:
            if "mimetype" in archive.namelist():
                words = f"{path.name} is an OpenDocument file. Save it as XLSX or CSV."
                raise StudyRefused(words, code="kind")
            _check_size(path, archive)
            _check_tags(archive)
        yield from _read(path, faults, known, terms, names)
    except (StudyRefused, MemoryError):
        raise
    except Exception as error:
        # A damaged file makes the library raise whatever its content leads to.
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


def _read(
    path: Path, faults: Faults, known: frozenset[str], terms: frozenset[str], names: frozenset[str]
) -> Iterator[Line]:
    # Only the process that reads files needs the library.
    from openpyxl import load_workbook

    book = load_workbook(path, read_only=True)
    sheet = next((sheet for sheet in book.worksheets if sheet.sheet_state == "visible"), None)
    if sheet is None:
        raise StudyRefused(f"{path.name} has no visible sheet.")
    _refuse_merged_cells(path, sheet._worksheet_path)
    # The file may claim any dimensions, and rows would be filled up to them.
    sheet.reset_dimensions()
    columns: list[_Column] = []

    def rows() -> Iterator[Line]:
        for number, row in enumerate(sheet.iter_rows(), start=1):
            texts = [_text(cell) for cell in row]
            while texts and not texts[-1].strip():
                texts.pop()
            if columns and (fault := _fault(row, texts, columns)) is not None:
                faults[number] = fault
            if texts and not columns:
                forms = map(normal_form, texts)
                columns.extend(_Column(form in known, form in terms, form in names) for form in forms)
            # Rows are as wide as the sheet.
            yield number, texts and texts + [""] * (len(columns) - len(texts))

    yield from counted(path.name, rows())


def _check_tags(archive: ZipFile) -> None:
    """Raise BadZipFile for a tag without an end: the parser would begin it again with every piece."""
    for name in archive.namelist():
        if not name.endswith((".xml", ".rels")):
            continue
        open_bytes = 0
        for piece in _pieces(archive, name):
            end = piece.rfind(b">")
            open_bytes = open_bytes + len(piece) if end < 0 else len(piece) - end - 1
            if open_bytes > _LONGEST_TAG:
                raise BadZipFile(name)


def _refuse_merged_cells(path: Path, part: str) -> None:
    """Raise StudyRefused for a sheet with merged cells, whose rows are ambiguous."""
    end = b""
    with ZipFile(path) as archive:
        for piece in _pieces(archive, part):
            if _MERGED.search(end + piece):
                raise StudyRefused(
                    f"{path.name} has merged cells, so its rows are ambiguous. Split them and fill in each "
                    "cell.",
                    code="merged_cells",
                )
            end = piece[-_LONGEST_NAME:]


def _pieces(archive: ZipFile, part: str) -> Iterator[bytes]:
    with archive.open(part) as opened:
        while piece := opened.read(_PIECE):
            yield piece


def _text(cell: Any) -> str:
    value = cell.value
    if value is None:
        return ""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    # Formulas of several cells are objects with a text; a day is a time, too.
    return storable(str(getattr(value, "text", value)).removesuffix(" 00:00:00"))


def _fault(row: Sequence[Any], texts: list[str], columns: Sequence[_Column]) -> tuple[int, str] | None:
    """Return the first unusable column (from 0) of a row, with the reason; correct the texts of names."""
    for place, (cell, text, column) in enumerate(zip(row, texts, columns, strict=False)):
        if cell.value is None or cell.data_type == "s" or (cell.data_type == "d" and not column.is_known):
            continue
        shown = _shown(cell) if column.has_names and cell.data_type == "n" else None
        if shown is not None:
            texts[place] = shown
            continue
        reasons = {"f": _FORMULA, "e": _ERROR, "d": IS_DATE}
        by_column = (column.has_terms and _NUMBER) or (column.has_names and _NUMBER_FOR_NAME)
        reason = reasons.get(cell.data_type) or by_column
        if reason:
            return place, f"“{printable(text)[:_SHOWN]}” is {reason}"
    return None


def _shown(cell: Any) -> str | None:
    """Return the whole number of a cell as the sheet shows it; None if it may have been typed otherwise."""
    value, code = cell.value, cell.number_format
    if not isinstance(value, int) or value < 0:
        return None
    if set(code) == {"0"}:
        return str(value).zfill(len(code))
    text = str(value)
    return text if code in _AS_TYPED and len(text) <= _LONGEST_NUMBER else None

"""Read the cells of a sheet as texts with their kind, row by row."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Final, NamedTuple
from zipfile import ZipFile

from annotator.exchange.formats.budget import MOST_COLUMNS, check_cells, check_columns
from annotator.exchange.formats.names import storable
from annotator.exchange.formats.report import StudyRefused
from annotator.exchange.formats.workbook_parts import Attributes, Book, Damaged, stream, unescaped

MOST_MERGED: Final = 100_000
MOST_TEXT: Final = 64 * 1024 * 1024
"""Characters of all cells: one shared string may appear in a million cells."""
FORMULA, DATE, NUMBER, ERROR = "formula", "date", "number", "error"
_DIGITS: Final = "0123456789"
_LONGEST_REFERENCE: Final = 10
_DAY_NONE: Final = datetime(1899, 12, 30)


class WorkbookCell(NamedTuple):
    """The text of a cell; `kind` is one of FORMULA, DATE, NUMBER and ERROR, empty for a text."""

    text: str
    kind: str = ""


_EMPTY: Final = WorkbookCell("")


class Cells:
    """Iterate over one sheet; afterwards `merged` maps rows to their first merged column (from 0)."""

    def __init__(self, name: str, archive: ZipFile, part: str, book: Book) -> None:
        self.merged: dict[int, int] = {}
        self._name, self._book = name, book
        self._archive, self._part = archive, part
        self._rows: list[tuple[int, list[WorkbookCell]]] = []
        self._row = self._column = self._count = self._width = self._merged_cells = self._characters = 0
        self._cells: dict[int, WorkbookCell] = {}
        self._kind, self._style, self._formula = "", "", False
        self._pieces: list[str] = []
        self._taking, self._in_cell, self._aside = False, False, 0

    def __iter__(self) -> Iterator[tuple[int, list[WorkbookCell]]]:
        """Yield the rows with their numbers. Raises Damaged, and StudyRefused beyond the limits."""
        for _ in stream(self._archive, self._part, self._start, self._end, self._text):
            yield from self._rows
            self._rows = []

    def _start(self, name: str, about: Attributes) -> None:
        if name == "c":
            self._begin_cell(about)
        elif self._in_cell:
            self._aside += name == "rPh"
            self._taking = (name in ("v", "f") or (name == "t" and not self._aside)) and not (
                self._formula and name == "v"
            )
            self._formula = self._formula or name == "f"
        elif name == "row":
            self._begin_row(about)
        elif name == "mergeCell":
            self._merge(about.get("ref", ""))

    def _text(self, data: str) -> None:
        if self._taking:
            self._pieces.append(data)

    def _end(self, name: str) -> None:
        self._taking = False
        if name == "c":
            self._in_cell = False
            self._cells[self._column] = self._cell()
        elif name == "row":
            self._end_row()
        elif name == "rPh":
            self._aside -= 1

    def _begin_row(self, about: Attributes) -> None:
        number = _number(about["r"]) if "r" in about else self._row + 1
        if number <= self._row:
            raise Damaged
        self._row, self._column, self._cells = number, 0, {}
        check_cells(self._name, number, self._count)

    def _begin_cell(self, about: Attributes) -> None:
        self._column = _column(about["r"]) if "r" in about else self._column + 1
        self._count += 1
        check_columns(self._name, self._row, self._column)
        check_cells(self._name, self._row, self._count)
        self._kind, self._style, self._formula = about.get("t", "n"), about.get("s", ""), False
        self._pieces, self._in_cell, self._aside = [], True, 0

    def _end_row(self) -> None:
        width = max(self._cells, default=0)
        row = [self._cells.get(column, _EMPTY) for column in range(1, width + 1)]
        while row and not row[-1].text:
            row.pop()
        self._width = self._width or len(row)
        # Rows are cut to the width of the header.
        self._count += max(0, self._width - len(self._cells)) if row else 0
        check_cells(self._name, self._row, self._count)
        self._characters += sum(len(cell.text) for cell in row)
        if self._characters > MOST_TEXT:
            raise StudyRefused(
                f"{self._name} has more than {MOST_TEXT:,} characters by row {self._row:,}. Split it "
                "into parts, each with the header.",
                code="too_much_text",
                row=self._row,
            )
        self._rows.append((self._row, row))

    def _cell(self) -> WorkbookCell:
        text = "".join(self._pieces)
        if self._formula:
            return WorkbookCell(storable(f"={text}"), FORMULA)
        if not text:
            return _EMPTY
        if self._kind == "s":
            place = _number(text)
            if place >= len(self._book.strings):
                raise Damaged
            return WorkbookCell(storable(self._book.strings[place]))
        if self._kind == "n":
            return _of_number(text, self._style.isdecimal() and _number(self._style) in self._book.dates)
        if self._kind == "b":
            return WorkbookCell("False" if text == "0" else "True", NUMBER)
        text = storable(unescaped(text))
        return WorkbookCell(text, {"e": ERROR, "d": DATE}.get(self._kind, ""))

    def _merge(self, reference: str) -> None:
        first, _, last = reference.partition(":")
        left, top = _column(first), _number(first[len(first.rstrip(_DIGITS)) :])
        right, bottom = (_column(last), _number(last[len(last.rstrip(_DIGITS)) :])) if last else (left, top)
        self._merged_cells += max(1, right - left + 1) * max(1, bottom - top + 1)
        if self._merged_cells > MOST_MERGED:
            raise StudyRefused(
                f"{self._name} has more than {MOST_MERGED:,} merged cells. Split them, or save it as CSV in "
                "UTF-8.",
                code="too_many_merged",
            )
        for row in range(top, bottom + 1):
            self.merged[row] = min(left - 1, self.merged.get(row, MOST_COLUMNS))


def _number(text: str) -> int:
    digits = text.strip()
    if not digits.isascii() or not digits.isdecimal() or len(digits) > _LONGEST_REFERENCE:
        raise Damaged
    return int(digits)


def _column(reference: str) -> int:
    """Return the column number, from 1, of a reference such as `AB12`. Raises Damaged."""
    if len(reference) > _LONGEST_REFERENCE:
        raise Damaged
    return _of_letters(reference.rstrip(_DIGITS).upper())


@lru_cache(maxsize=1024)
def _of_letters(letters: str) -> int:
    if not 1 <= len(letters) <= 3 or not letters.isascii() or not letters.isalpha():
        raise Damaged
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - ord("A") + 1
    return number


def _of_number(text: str, is_date: bool) -> WorkbookCell:
    try:
        number = float(text)
    except ValueError as error:
        raise Damaged from error
    if is_date:
        return WorkbookCell(_moment(number), DATE)
    if text.isascii() and text.isdecimal():
        return WorkbookCell(text.lstrip("0") or "0", NUMBER)
    if number.is_integer() and abs(number) < 1e15:
        return WorkbookCell(str(int(number)), NUMBER)
    return WorkbookCell(str(number), NUMBER)


def _moment(days: float) -> str:
    """Format a spreadsheet's number of days as a date or time; other numbers are unchanged."""
    try:
        if 0 <= days < 1:
            moment = (_DAY_NONE + timedelta(days=days)).replace(microsecond=0)
            return str(moment.time())
        # Spreadsheets have a 29 February 1900.
        return str((_DAY_NONE + timedelta(days=days + (days < 60))).replace(microsecond=0))
    except (OverflowError, ValueError):
        return str(days)

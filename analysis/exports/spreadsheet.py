"""XLSX, with one row in memory. Imported only by workers and commands, because openpyxl loads numpy."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator
from datetime import datetime
from typing import IO, Any, Final
from zipfile import ZIP_DEFLATED, ZipFile

from openpyxl import Workbook
from openpyxl.cell import WriteOnlyCell
from openpyxl.styles import NamedStyle
from openpyxl.worksheet.worksheet import Worksheet
from openpyxl.writer.excel import ExcelWriter

from analysis.exports.columns import Column, Kind, Line
from analysis.exports.source import ExportRefused
from analysis.exports.zipping import LONG_AGO, timeless

MOST_LINES: Final = 1_048_575
PIECE: Final = 64 * 1024
AS_TEXT: Final = "@"
# Characters that XML cannot hold or restore, and text that looks like their escapes.
_ESCAPED: Final = re.compile(r"[\x00-\x08\x0b-\x1f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")


def spreadsheet(title: str, columns: tuple[Column, ...], lines: Iterator[Line]) -> Iterator[bytes]:
    """Yield the file in pieces.

    Texts are formatted as text, so that formulas never run and `1/5` stays `1/5` even when edited. Raise
    ExportRefused for more lines than a sheet holds.
    """
    book = Workbook(write_only=True)
    book.add_named_style(NamedStyle("Written", number_format=AS_TEXT))
    sheet: Any = book.create_sheet(title)
    sheet.freeze_panes = "A2"
    sheet.append([_text(sheet, column.name) for column in columns])
    texts = [place for place, column in enumerate(columns) if column.kind is Kind.TEXT]
    numbers = [place for place, column in enumerate(columns) if column.kind is Kind.NUMBER]
    for count, line in enumerate(lines):
        if count == MOST_LINES:
            raise ExportRefused(
                f"The export exceeds the {MOST_LINES:,} rows of a spreadsheet. Use CSV or Parquet."
            )
        for place in texts:
            text = line[place]
            line[place] = _text(sheet, text) if text else None  # type: ignore[arg-type]
        for place in numbers:
            if isinstance(number := line[place], float):
                # With all digits of a number: openpyxl alone writes 16 of up to 17.
                cell = WriteOnlyCell(sheet, repr(number))
                cell.data_type = "n"
                line[place] = cell
        sheet.append(line)
    with tempfile.TemporaryFile() as file:
        _save(book, file)
        file.seek(0)
        while piece := file.read(PIECE):
            yield piece


def escaped(text: str) -> str:
    """Return the text with characters that XML cannot hold as `_x000D_`."""
    return _ESCAPED.sub(lambda found: f"_x{ord(found[0]):04X}_", text)


def _text(sheet: Worksheet, text: str) -> WriteOnlyCell:
    cell = WriteOnlyCell(sheet, escaped(text))
    # Otherwise "=" would begin a formula.
    cell.data_type = "s"
    cell.style = "Written"
    return cell


def _save(book: Workbook, file: IO[bytes]) -> None:
    with _Timeless(file, "w", ZIP_DEFLATED, allowZip64=True) as archive:
        book.properties.created = book.properties.modified = datetime(*LONG_AGO)
        ExcelWriter(book, archive).write_data()


class _Timeless(ZipFile):
    """An archive whose entries share one time."""

    def writestr(self, zinfo_or_arcname: Any, data: Any, *_: Any, **__: Any) -> None:
        """Add text or bytes."""
        super().writestr(timeless(zinfo_or_arcname), data)

    def write(self, filename: Any, arcname: Any = None, *_: Any, **__: Any) -> None:
        """Add a file."""
        with open(filename, "rb") as source, self.open(timeless(arcname), "w", force_zip64=True) as target:
            shutil.copyfileobj(source, target)

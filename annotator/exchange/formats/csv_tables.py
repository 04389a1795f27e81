"""Read CSV files as they occur in practice: with a BOM, semicolons, CRLF, Latin-1, or ragged rows."""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Iterable, Iterator
from io import StringIO
from itertools import dropwhile, islice
from pathlib import Path
from typing import Final

from annotator.exchange.formats.budget import Line, check_columns, counted
from annotator.exchange.formats.names import normal_form
from annotator.exchange.formats.report import RowNote, StudyRefused
from annotator.work.machine_faults import blames_machine

MOST_BYTES: Final = 64 * 1024 * 1024
_MOST_IN_A_LINE: Final = 100_000
"""Delimiters per line: a line of millions is refused before it is split."""
_LONGEST_HEADER: Final = 20_000
_DELIMITERS: Final = (",", ";", "\t")
_ROWS_ABOVE: Final = 10
"""Rows in which the heading is sought to determine the delimiter."""
_STATED_SEPARATOR: Final = re.compile(
    r"""(?P<quote>"?)sep=(?P<delimiter>\t|[^\w\s"'])(?P=delimiter)*(?P=quote)(?:\r\n|\r|\n|\Z)""",
    re.IGNORECASE,
)
LINE: Final = re.compile(r"[^\r\n]+(?:\r\n|\r|\n)?|\r\n|\r|\n")
"""A line with its end, as spreadsheets end it."""
_UTF16_MARKS: Final = (b"\xff\xfe", b"\xfe\xff")
_OTHER_KINDS: Final = {
    b"\xd0\xcf\x11\xe0": "a workbook in the format of Excel 2003 (XLS)",
    b"%PDF": "a PDF",
    b"\x89PNG": "an image",
    b"\xff\xd8\xff": "an image",
    b"<": "XML or HTML",
    b"{": "JSON",
    b"[": "JSON",
}
"""How files of other kinds begin."""


def read_csv(path: Path, headings: Iterable[str]) -> tuple[Iterator[Line], list[RowNote]]:
    """Return the rows of a CSV file from its heading on, with their numbers, and remarks.

    The headings determine the delimiter, unless a first line such as `sep=;` states it. Raises StudyRefused,
    also during iteration.
    """
    text, notes = read_text(path)
    stated = _STATED_SEPARATOR.match(text)
    if stated is not None:
        # Spreadsheets read this line and show the next one as row 1.
        text = text[stated.end() :]
    delimiter = stated["delimiter"] if stated else _delimiter(text, {normal_form(each) for each in headings})
    return dropwhile(is_blank, _rows(path, text, delimiter)), notes


def is_blank(line: Line) -> bool:
    """Return whether a row has no text."""
    return not any(cell.strip() for cell in line[1])


def read_text(path: Path) -> tuple[str, list[RowNote]]:
    """Return the contents of a text file, and a remark if it is not UTF-8. Raises StudyRefused."""
    contents = _contents(path)
    start = contents[:64].removeprefix(b"\xef\xbb\xbf").lstrip()
    if kind := next((kind for begins, kind in _OTHER_KINDS.items() if start.startswith(begins)), ""):
        raise StudyRefused(f"{path.name} is {kind}. Save the table as CSV in UTF-8, or as XLSX.", code="kind")
    if contents.startswith(_UTF16_MARKS):
        return _as_utf16(path, contents)
    if b"\0" in contents:
        line = contents[: contents.index(b"\0")].count(b"\n") + 1
        raise StudyRefused(
            f"{path.name} contains a NUL byte in line {line}: it is damaged or not a text file."
        )
    try:
        return contents.decode("utf-8-sig"), []
    except UnicodeDecodeError as error:
        return _as_latin(path, contents, error.start)


def _as_utf16(path: Path, contents: bytes) -> tuple[str, list[RowNote]]:
    try:
        text = contents.decode("utf-16")
    except UnicodeDecodeError as error:
        raise StudyRefused(f"{path.name} is damaged UTF-16. Save it as CSV in UTF-8.") from error
    reason = f"{path.name} is UTF-16 and was read as such: check names with accents"
    return text, [RowNote(1, "", text[:20].strip(), reason)]


def _as_latin(path: Path, contents: bytes, start: int) -> tuple[str, list[RowNote]]:
    line = contents[:start].count(b"\n") + 1
    try:
        # Spreadsheets write Windows-1252, which differs from Latin-1 in a few characters.
        text = contents.decode("cp1252")
        shown = contents[max(0, start - 10) : start + 10].decode("cp1252").strip()
    except UnicodeDecodeError as error:
        raise StudyRefused(
            f"{path.name} is neither UTF-8 (line {line}) nor Latin-1. Save it as CSV in UTF-8."
        ) from error
    reason = f"{path.name} is not UTF-8; it was read as Latin-1 (Windows-1252): check names with accents"
    return text, [RowNote(line, "", shown, reason)]


def _contents(path: Path) -> bytes:
    try:
        if not path.exists():
            raise StudyRefused(f"There is no file {path}.")
        if not path.is_file():
            raise StudyRefused(f"{path} is not a file.")
        if path.stat().st_size > MOST_BYTES:
            raise StudyRefused(f"{path.name} is larger than {MOST_BYTES:,} bytes.")
        contents = path.read_bytes()
    except OSError as error:
        if blames_machine(error):
            raise
        raise StudyRefused(f"{path} cannot be read: {error.strerror}.") from error
    if not contents.strip():
        raise StudyRefused(f"{path.name} is empty.")
    return contents


def _delimiter(text: str, known: Collection[str]) -> str:
    """Return the delimiter that yields the most known headings."""
    start = text[:_LONGEST_HEADER]

    def headings(delimiter: str) -> int:
        rows = islice(csv.reader(StringIO(start, newline=""), delimiter=delimiter), _ROWS_ABOVE)
        return max((sum(normal_form(heading) in known for heading in row) for row in rows), default=0)

    return max(_DELIMITERS, key=headings)


def _rows(path: Path, text: str, delimiter: str) -> Iterator[Line]:
    number = 0

    def lines() -> Iterator[str]:
        # StringIO would first take four bytes per character, and time that grows faster than the text.
        for line in LINE.finditer(text):
            if (delimiters := text.count(delimiter, *line.span())) > _MOST_IN_A_LINE:
                check_columns(path.name, number + 1, delimiters + 1)
            yield line[0]

    try:
        # Strict, because an unclosed quote would otherwise swallow all rows after it.
        reader = csv.reader(lines(), delimiter=delimiter, strict=True)
        for number, row in counted(path.name, enumerate(reader, start=1)):
            yield number, row
    except csv.Error as error:
        raise StudyRefused(f"{path.name} cannot be read as CSV after row {number}: {error}.") from error

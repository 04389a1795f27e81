"""Read CSV files as they occur in practice: with a BOM, semicolons, CRLF, Latin-1, or ragged rows."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from io import StringIO
from itertools import dropwhile, islice
from pathlib import Path
from typing import Final

from annotator.exchange.formats.budget import LONGEST_TEXT, check_columns, counted
from annotator.exchange.formats.names import normal_form
from annotator.exchange.formats.report import RowNote, StudyRefused
from annotator.work.machine_faults import blames_machine
from scoring.formula_guard import without_guard

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


@dataclass(frozen=True)
class Record:
    """One row; `number` counts the header as row 1 and empty rows too, as in a spreadsheet.

    `problem` is the reason why the row is unusable, `column` the column at fault, if any.
    `picture` is the path of its image, if it may identify it.
    """

    number: int
    values: dict[str, str]
    problem: str = ""
    column: str = ""
    picture: str = ""


@dataclass(frozen=True)
class CsvTable:
    """A file with its required columns.

    `records` hold known columns under their expected headings and the others under their own;
    `notes` are remarks on the file as a whole. Empty rows are omitted.
    """

    name: str
    records: tuple[Record, ...]
    other_columns: tuple[str, ...]
    notes: tuple[RowNote, ...]


def read_table(path: Path, *, required: Collection[str], optional: Collection[str] = ()) -> CsvTable:
    """Read a CSV file; headings are compared without case, spaces and punctuation.

    Raises StudyRefused if the file cannot be read, is not text, or lacks a required column.
    """
    lines, notes = read_lines(path, (*required, *optional))
    return table_of(path.name, lines, notes, required=required, optional=optional)


def read_lines(path: Path, headings: Iterable[str]) -> tuple[Iterator[tuple[int, list[str]]], list[RowNote]]:
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
    return dropwhile(_is_blank, _rows(path, text, delimiter)), notes


def _is_blank(line: tuple[int, list[str]]) -> bool:
    return not any(cell.strip() for cell in line[1])


def table_of(
    name: str,
    lines: Iterable[tuple[int, list[str]]],
    notes: Iterable[RowNote],
    *,
    required: Collection[str],
    optional: Collection[str] = (),
    reached: Collection[str] | None = None,
) -> CsvTable:
    """Return the table of these rows, the first of which is the header. Raises StudyRefused.

    `reached` are the columns that every row must reach, by default those required: spreadsheets leave out
    empty cells at the end of a row.
    """
    rows, known = iter(lines), _known(required, optional)
    header = _header(name, rows, known, required)
    records = tuple(_records(rows, header, required if reached is None else reached))
    expected = set(known.values())
    others = tuple(
        heading
        for heading in header
        if heading not in expected and any(record.values[heading].strip() for record in records)
    )
    return CsvTable(name, records, others, tuple(notes))


def with_faults(table: CsvTable, header: list[str], faults: Mapping[int, tuple[int, str]]) -> CsvTable:
    """Return the table with problems for cells that were not text: column from 0 and reason, by row."""
    records = tuple(
        replace(record, column=header[faults[record.number][0]], problem=faults[record.number][1])
        if record.number in faults
        else record
        for record in table.records
    )
    return replace(table, records=records)


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


def _rows(path: Path, text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    number = 0

    def lines() -> Iterator[str]:
        for start, end in _line_ends(text):
            if (delimiters := text.count(delimiter, start, end)) > _MOST_IN_A_LINE:
                check_columns(path.name, number + 1, delimiters + 1)
            yield text[start:end]

    try:
        # Strict, because an unclosed quote would otherwise swallow all rows after it.
        reader = csv.reader(lines(), delimiter=delimiter, strict=True)
        for number, row in counted(path.name, enumerate(reader, start=1)):
            yield number, row
    except csv.Error as error:
        raise StudyRefused(f"{path.name} cannot be read as CSV after row {number}: {error}.") from error


def _line_ends(text: str) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each line, including its line end (\\n, \\r or both).

    StringIO would first take four bytes per character, and time that grows faster than the text.
    """
    start, back, feed = 0, text.find("\r"), text.find("\n")
    while start < len(text):
        # Both are sought once: a text may have a million lines without one of them.
        if 0 <= feed < start:
            feed = text.find("\n", start)
        end = feed + 1 or len(text)
        if 0 <= back < start:
            back = text.find("\r", start)
        if 0 <= back < end and text[back : back + 2] != "\r\n":
            end = back + 1
        yield start, end
        start = end


def _known(*headings: Collection[str]) -> dict[str, str]:
    return {normal_form(heading): heading for each in headings for heading in each}


def _header(
    name: str, rows: Iterator[tuple[int, list[str]]], known: dict[str, str], required: Collection[str]
) -> list[str]:
    number, row = next(rows, (1, []))
    header = _named(row, known)
    missing = [heading for heading in required if heading not in header]
    if missing:
        below, following = next(dropwhile(_is_blank, rows), (0, []))
        if set(_named(following, known)) >= set(required):
            raise StudyRefused(
                f"{name} has a title in row {number}. The headings are in row {below}: delete the rows above "
                "it.",
                code="title_row",
                row=number,
            )
        unexpected = [heading for heading in header if heading not in known.values()]
        message = f"{name} lacks {_listed(missing)}."
        raise StudyRefused(f"{message} Unexpected: {_listed(unexpected)}." if unexpected else message)
    if twice := sorted(heading for heading, times in Counter(header).items() if times > 1):
        raise StudyRefused(f"{name} has {_listed(twice)} more than once.")
    return header


def _named(row: list[str], known: dict[str, str]) -> list[str]:
    # Tables written by programs may have an index column without a heading.
    named = [heading.strip() or f"column {position}" for position, heading in enumerate(row, start=1)]
    return [known.get(normal_form(heading), heading) for heading in named]


def _listed(headings: list[str]) -> str:
    quoted = ", ".join(f"“{heading[:60]}”" for heading in headings[:8])
    more = f" and {len(headings) - 8} more" if len(headings) > 8 else ""
    return f"the column{'s' if len(headings) > 1 else ''} {quoted}{more}"


def _records(
    rows: Iterable[tuple[int, list[str]]], header: list[str], reached: Collection[str]
) -> Iterator[Record]:
    least = max((place for place, heading in enumerate(header, start=1) if heading in reached), default=0)
    return (_record(number, row, header, least) for number, row in rows if any(cell.strip() for cell in row))


def _record(number: int, row: list[str], header: list[str], least: int) -> Record:
    """Return a row of at least `least` cells, without guards; those missing at its end are empty."""
    problem = ""
    if len(row) < least or any(cell.strip() for cell in row[len(header) :]):
        problem = f"the row has {len(row)} cells, the header {len(header)}"
    values = dict(zip(header, row, strict=False))
    column, reason = ("", problem) if problem else too_long(values)
    texts = {heading: without_guard(values.get(heading, "")) for heading in header}
    return Record(number, texts, reason, column)


def too_long(values: Mapping[str, str]) -> tuple[str, str]:
    """Return the first column with a text longer than a spreadsheet allows, and the reason; else empty."""
    for column, text in values.items():
        if len(text) > LONGEST_TEXT:
            return column, f"the cell has {len(text):,} characters; at most {LONGEST_TEXT:,} are read"
    return "", ""

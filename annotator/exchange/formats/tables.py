"""Read a table from CSV or XLSX: the one reader of every file that has a heading and rows.

CSV files are read as they occur in practice: with a BOM, semicolons, CRLF, Latin-1, or ragged rows.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from io import StringIO
from itertools import chain, dropwhile, islice
from pathlib import Path
from typing import Final, NamedTuple

from annotator.exchange.formats.budget import LONGEST_TEXT, Line, check_columns, counted
from annotator.exchange.formats.names import normal_form
from annotator.exchange.formats.report import RowNote, StudyRefused
from annotator.exchange.formats.workbooks import is_workbook, read_workbook
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


def begins_as_json(path: Path, starts: tuple[bytes, ...] = (b"[", b"{")) -> bool:
    """Return whether the text of a file starts as JSON does."""
    try:
        with path.open("rb") as file:
            return file.read(64).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(starts)
    except OSError as error:
        if blames_machine(error):
            raise
        return False


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


class Texts(dict[str, str]):
    """The texts of a row by heading; those of other columns are empty, which most of a sheet are."""

    def __missing__(self, heading: str) -> str:
        return ""


@dataclass(frozen=True)
class Record:
    """One row; `number` counts the header as row 1 and empty rows too, as in a spreadsheet.

    `problem` is the reason why the row is unusable, `column` the column at fault, if any.
    """

    number: int
    values: Texts
    problem: str = ""
    column: str = ""


@dataclass(frozen=True)
class Table:
    """A file with its required columns.

    `columns` are all headings, known ones as they are expected, and `other_columns` the others with texts,
    which are left out unless they were asked for; `notes` are remarks on the file as a whole. Empty rows are
    omitted.
    """

    name: str
    records: list[Record]
    columns: tuple[str, ...] = ()
    other_columns: tuple[str, ...] = ()
    notes: tuple[RowNote, ...] = ()


class Lines(NamedTuple):
    """The rows of a file from its heading on, with their numbers, to be read once; and remarks on the file.

    `headings` are the normal forms of the first row; `faults`, filled while the rows are read, are the first
    unusable cell of a row, from 0, and the reason.
    """

    name: str
    rows: Iterator[Line]
    headings: frozenset[str]
    notes: list[RowNote]
    faults: Mapping[int, tuple[int, str]]


def read_lines(
    path: Path, headings: Iterable[str], *, terms: Iterable[str] = (), names: Iterable[str] = ()
) -> Lines:
    """Return the rows of a CSV file, whose delimiter the headings determine, or of a workbook.

    A workbook must not have numbers in the columns `terms`, nor those that it shows otherwise than typed in
    `names`, nor dates in any of the `headings`. Raises StudyRefused, also while the rows are read.
    """
    faults: dict[int, tuple[int, str]] = {}
    notes: list[RowNote] = []
    if is_workbook(path):
        known, term_columns, name_columns = (
            frozenset(map(normal_form, columns)) for columns in (headings, terms, names)
        )
        found = read_workbook(path, faults, known=known, terms=term_columns, names=name_columns)
    else:
        found, notes = read_csv(path, headings)
    rows = (line for line in found if line[1])
    first = next(rows, None)
    header = frozenset(map(normal_form, first[1] if first else ()))
    return Lines(path.name, chain([first] if first else [], rows), header, notes, faults)


def table_of(
    lines: Lines,
    *,
    required: Collection[str],
    optional: Collection[str] = (),
    reached: Collection[str] | None = None,
    others: bool = False,
) -> Table:
    """Return the table of these rows, the first of which is the header. Raises StudyRefused.

    Headings are compared without case, spaces and punctuation. `reached` are the columns that every row must
    reach, by default those required: spreadsheets leave out empty cells at the end of a row. `others`: with
    the texts of unknown columns.
    """
    rows, known = lines.rows, {normal_form(each): each for each in (*required, *optional)}
    header = _header(lines.name, rows, known, required)
    needed = required if reached is None else reached
    least = max((place for place, heading in enumerate(header, start=1) if heading in needed), default=0)
    unknown = [place for place, heading in enumerate(header) if heading not in known.values()]
    filled: set[int] = set()
    left_out = frozenset() if others else frozenset(header[place] for place in unknown)
    records = []
    for number, row in rows:
        if any(cell.strip() for cell in row):
            records.append(_record(number, row, header, least, left_out, lines.faults.get(number)))
            filled.update(place for place in unknown if place < len(row) and row[place].strip())
    other_columns = tuple(header[place] for place in sorted(filled))
    return Table(lines.name, records, tuple(header), other_columns, tuple(lines.notes))


def _header(
    name: str, rows: Iterator[Line], known: Mapping[str, str], required: Collection[str]
) -> list[str]:
    number, row = next(rows, (1, []))
    header = _named(row, known)
    missing = [heading for heading in required if heading not in header]
    if missing:
        below, following = next(dropwhile(is_blank, rows), (0, []))
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


def _named(row: list[str], known: Mapping[str, str]) -> list[str]:
    # Tables written by programs may have an index column without a heading.
    named = [heading.strip() or f"column {position}" for position, heading in enumerate(row, start=1)]
    return [known.get(normal_form(heading), heading) for heading in named]


def _listed(headings: list[str]) -> str:
    quoted = ", ".join(f"“{heading[:60]}”" for heading in headings[:8])
    more = f" and {len(headings) - 8} more" if len(headings) > 8 else ""
    return f"the column{'s' if len(headings) > 1 else ''} {quoted}{more}"


def _record(
    number: int,
    row: list[str],
    header: list[str],
    least: int,
    left_out: Collection[str],
    fault: tuple[int, str] | None,
) -> Record:
    """Return a row of at least `least` cells, without guards; those missing at its end are empty."""
    values = dict(zip(header, row, strict=False))
    if fault is not None:
        column, reason = header[fault[0]], fault[1]
    elif len(row) < least or any(cell.strip() for cell in row[len(header) :]):
        column, reason = "", f"the row has {len(row)} cells, the header {len(header)}"
    else:
        column = next((name for name, text in values.items() if len(text) > LONGEST_TEXT), "")
        length = len(values.get(column, ""))
        reason = f"the cell has {length:,} characters; at most {LONGEST_TEXT:,} are read" if column else ""
    texts = Texts(
        (heading, without_guard(text)) for heading, text in values.items() if text and heading not in left_out
    )
    return Record(number, texts, reason, column)

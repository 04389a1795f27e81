"""Read a table from CSV or XLSX: the one reader of every file that has a heading and rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, dropwhile
from pathlib import Path
from typing import NamedTuple

from annotator.exchange.formats.budget import LONGEST_TEXT, Line
from annotator.exchange.formats.csv_tables import is_blank, read_csv
from annotator.exchange.formats.names import normal_form
from annotator.exchange.formats.report import RowNote, StudyRefused
from annotator.exchange.formats.workbooks import is_workbook, read_workbook
from scoring.formula_guard import without_guard


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

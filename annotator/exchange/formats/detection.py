"""Detect and read files of annotations made elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from annotator.exchange.formats.csv_tables import read_lines, table_of, with_faults
from annotator.exchange.formats.marks_file import MARKS_OPTIONAL, MARKS_REQUIRED, read_marks
from annotator.exchange.formats.mask_files import MARKS, read_mask_file
from annotator.exchange.formats.names import normal_form
from annotator.exchange.formats.report import RowNote, StudyRefused
from annotator.exchange.formats.sheet import FILE, NAMES, Sheet, rating_table, read_ratings, sheet_of
from annotator.exchange.formats.workbooks import is_workbook, read_workbook
from annotator.work.machine_faults import blames_machine
from scoring.grid.taxonomy import CELLS, SHEET_COLUMNS

MOST_BYTES: Final = 50 * 1024 * 1024

_SCORES: Final = normal_form("cumulative_score")
_MARKS: Final = {normal_form(heading) for heading in ("error_type", "body_part")}
_TERMS: Final = frozenset(normal_form(cell.heading) for cell in CELLS)
_NAMES: Final = frozenset(
    normal_form(heading) for heading in ("Image Id", "Model", "Prompt", "Annotator", "generator", FILE)
)
_ONLY_SCORES: Final = (
    "{name} contains scores, from which marks cannot be derived: a score of 0.5 is 1/2c as well as 1/1b. "
    "Upload the sheet or the marks file of the same export."
)

_NO_SHEET: Final = (
    "{name} is not the sheet with a column per cell and a row per image and annotator. This protocol accepts "
    "only that sheet."
)

_SHEET: Final = "the sheet with a column per cell and a row per image and annotator"
_RATING_SHEET: Final = (
    "a sheet with the columns “annotator”, “{first}”, and with “generator”, “prompt” and “number”, or "
    "“file”, or “Image Id”"
)
_JSON: Final = (
    "{name} is JSON, as other tools export it. Annotations are read from CSV or XLSX only: {expected}. "
    "Export a table and give its columns these names."
)


def read_annotations(
    path: Path,
    *,
    raw: bool = False,
    own: tuple[str, ...] = (),
) -> Sheet:
    """Read the study's sheet or our marks file, CSV or XLSX.

    `raw` accepts only sheets and leaves their cells unread, for protocols other than that of counts; with
    `own` columns, a rating sheet with these in place of the 25 cells. Raises StudyRefused if the file as a
    whole cannot be used; partial problems are listed in the sheet.
    """
    if is_workbook(path):
        _check_size(path)
        book = read_workbook(path, term_columns=frozenset() if raw else _TERMS, name_columns=_NAMES)
        return _of_table(path.name, list(book.lines), (), book.faults, raw, own)
    if _begins_as_json(path) and own == (MARKS,):
        _check_size(path)
        return read_mask_file(path)
    if _begins_as_json(path):
        raise StudyRefused(_JSON.format(name=path.name, expected=_expected(raw, own)), code="json")
    _check_size(path)
    lines, notes = read_lines(path, (*SHEET_COLUMNS, *MARKS_REQUIRED, *NAMES, FILE, *own))
    kept = [(number, row) for number, row in lines if row]
    return _of_table(path.name, kept, notes, {}, raw, own)


def _of_table(
    name: str,
    lines: list[tuple[int, list[str]]],
    notes: Iterable[RowNote],
    faults: Mapping[int, tuple[int, str]],
    raw: bool,
    own: tuple[str, ...] = (),
) -> Sheet:
    header = lines[0][1] if lines else []
    if own:
        return read_ratings(with_faults(rating_table(name, lines, notes, own), header, faults), own)
    headings = {normal_form(heading) for heading in header}
    if _SCORES in headings:
        raise StudyRefused(_ONLY_SCORES.format(name=name))
    if raw and headings >= _MARKS:
        raise StudyRefused(_NO_SHEET.format(name=name))
    if headings >= _MARKS:
        table = table_of(name, lines, notes, required=MARKS_REQUIRED, optional=MARKS_OPTIONAL)
        return read_marks(with_faults(table, header, faults))
    table = with_faults(table_of(name, lines, notes, required=SHEET_COLUMNS), header, faults)
    return sheet_of(table, raw=raw)


def _expected(raw: bool, own: tuple[str, ...]) -> str:
    if own:
        return _RATING_SHEET.format(first=own[0])
    return _SHEET if raw else f"{_SHEET}, or a marks file"


def _begins_as_json(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            start = file.read(64).removeprefix(b"\xef\xbb\xbf").lstrip()
    except OSError as error:
        if blames_machine(error):
            raise
        return False
    return start[:1] in (b"[", b"{")


def _check_size(path: Path) -> None:
    try:
        size = path.stat().st_size
    except OSError:
        return  # reading it reports the cause
    if size > MOST_BYTES:
        limit = MOST_BYTES // (1024 * 1024)
        parts = "files of fewer images" if _begins_as_json(path) else "parts, each with the header"
        raise StudyRefused(f"{path.name} is larger than {limit} MB. Split it into {parts}.")

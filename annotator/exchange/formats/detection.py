"""Detect and read files of annotations made elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from annotator.exchange.formats.mask_files import MARKS, read_mask_file
from annotator.exchange.formats.names import normal_form
from annotator.exchange.formats.report import StudyRefused
from annotator.exchange.formats.sheet import FILE, NAMES, SHA256, Sheet, rating_table, read_ratings, sheet_of
from annotator.exchange.formats.tables import read_lines, table_of
from annotator.work.machine_faults import blames_machine
from scoring.grid.taxonomy import CELLS, SHEET_COLUMNS

MOST_BYTES: Final = 50 * 1024 * 1024

_OTHER_LAYOUTS: Final = {
    "scores": {normal_form("cumulative_score")},
    "marks": {normal_form(heading) for heading in ("error_type", "body_part")},
}
_TERMS: Final = tuple(cell.heading for cell in CELLS)
_NAMES: Final = ("Image Id", "Model", "Prompt", "Annotator", "generator", FILE)
_OTHER_LAYOUT: Final = (
    "{name} contains {what}, which are not read: a score of 0.5 is 1/2c as well as 1/1b, and images without "
    "errors have no marks. Upload the sheet of the same export."
)

_OTHER_SHEET: Final = (
    "{name} has no column of a cell; expected {expected}. If it is a sheet of ratings, choose their protocol."
)
_SHEET: Final = "the sheet with a column per cell and a row per image and annotator"
_RATING_SHEET: Final = (
    "a sheet with the columns “annotator”, “{first}”, and with “generator”, “prompt” and “number”, or "
    "“file”, “sha256”, or “Image Id”"
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
    """Read the study's sheet, CSV or XLSX.

    `raw` accepts only sheets and leaves their cells unread, for protocols other than that of counts; with
    `own` columns, a rating sheet with these in place of the 25 cells. Raises StudyRefused if the file as a
    whole cannot be used; partial problems are listed in the sheet.
    """
    is_json = _begins_as_json(path)
    if is_json and own != (MARKS,):
        raise StudyRefused(_JSON.format(name=path.name, expected=_expected(own)), code="json")
    _check_size(path)
    if is_json:
        return read_mask_file(path)
    headings = (*SHEET_COLUMNS, *NAMES, FILE, SHA256, *own)
    lines = read_lines(path, headings, terms=() if raw else _TERMS, names=_NAMES)
    if own:
        return read_ratings(rating_table(lines, own), own)
    for what, columns in _OTHER_LAYOUTS.items():
        if lines.headings >= columns:
            raise StudyRefused(_OTHER_LAYOUT.format(name=path.name, what=what), code="layout")
    if normal_form("annotator") in lines.headings and lines.headings.isdisjoint(map(normal_form, _TERMS)):
        raise StudyRefused(_OTHER_SHEET.format(name=path.name, expected=_SHEET), code="sheet")
    return sheet_of(table_of(lines, required=SHEET_COLUMNS), raw=raw)


def _expected(own: tuple[str, ...]) -> str:
    return _RATING_SHEET.format(first=own[0]) if own else _SHEET


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

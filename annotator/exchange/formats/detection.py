"""Detect and read files of annotations made elsewhere, also of marks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from annotator.exchange.formats.image_tables import read_count_rows, refuse_large
from annotator.exchange.formats.names import normal_form
from annotator.exchange.formats.report import StudyRefused
from annotator.exchange.formats.sheet import FILE, NAMES, SHA256, Sheet, annotation_table, sheet_of
from annotator.exchange.formats.tables import Record, Table, Texts, begins_as_json, read_lines
from annotator.protocols.defect.elsewhere import in_coco, marks_in
from scoring.grid.taxonomy import CELLS, SHEET_COLUMNS

MARKS: Final = "marks"
"""The column that holds the marks of an image as JSON."""
MASKS: Final = "masks"
"""The column that holds suggested masks as JSON."""
_NO_MARKS: Final = (
    "{name} is JSON, but neither a COCO file (images, annotations, categories) nor a list of images with "
    "annotation and human. Export run-length masks as COCO, or boxes."
)


def read_mask_file(path: Path) -> Sheet:
    """Return a row for each image and annotator with the marks as JSON. Raises StudyRefused."""
    try:
        data = json.loads(path.read_text(encoding="utf-8-sig"))
        found = list(marks_in(data))
    except UnicodeDecodeError as error:
        raise StudyRefused(f"{path.name} is not UTF-8. Save it as UTF-8.", code="json") from error
    except json.JSONDecodeError as error:
        raise StudyRefused(f"{path.name}, line {error.lineno}: {error.msg}.", code="json") from error
    except (AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise StudyRefused(_NO_MARKS.format(name=path.name), code="json") from error
    records = [
        Record(number, Texts({"annotator": who, FILE: file, MARKS: json.dumps(marks)}))
        for number, (file, who, marks) in enumerate(found, 1)
    ]
    return sheet_of(Table(path.name, records), own=(MARKS,))


def read_mask_rows(path: Path, **how: Any) -> Table:
    """Return a row for each image with its masks, of a COCO file or of JSON Lines. Raises StudyRefused."""
    refuse_large(path)
    try:
        data = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict) or "images" not in data:
        return read_count_rows(path, **how)
    try:
        found = list(in_coco(data))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise StudyRefused(_NO_MARKS.format(name=path.name), code="json") from error
    rows = (Texts({FILE: file, MASKS: json.dumps(marks["defects"])}) for file, _, marks in found)
    return Table(path.name, [Record(number, row) for number, row in enumerate(rows, 1)])


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
    rationales: tuple[str, ...] = (),
) -> Sheet:
    """Read the study's sheet, CSV or XLSX.

    `raw` accepts only sheets and leaves their cells unread, for protocols other than that of counts; with
    `own` columns, a rating sheet with these in place of the 25 cells. `rationales` are the headings of
    columns with reasons. Raises StudyRefused if the file as a whole cannot be used; partial problems are
    listed in the sheet.
    """
    is_json = begins_as_json(path)
    if is_json and own != (MARKS,):
        raise StudyRefused(_JSON.format(name=path.name, expected=_expected(own)), code="json")
    _check_size(path)
    if is_json:
        return read_mask_file(path)
    headings = (*SHEET_COLUMNS, *NAMES.values(), FILE, SHA256, *own, *rationales)
    lines = read_lines(path, headings, terms=() if raw else _TERMS, names=_NAMES)
    if own:
        return sheet_of(annotation_table(lines, own, rationales), own=own, rationales=rationales)
    for what, columns in _OTHER_LAYOUTS.items():
        if lines.headings >= columns:
            raise StudyRefused(_OTHER_LAYOUT.format(name=path.name, what=what), code="layout")
    if normal_form("annotator") in lines.headings and lines.headings.isdisjoint(map(normal_form, _TERMS)):
        raise StudyRefused(_OTHER_SHEET.format(name=path.name, expected=_SHEET), code="sheet")
    return sheet_of(annotation_table(lines, (), rationales), raw=raw, rationales=rationales)


def _expected(own: tuple[str, ...]) -> str:
    return _RATING_SHEET.format(first=own[0]) if own else _SHEET


def _check_size(path: Path) -> None:
    try:
        size = path.stat().st_size
    except OSError:
        return  # reading it reports the cause
    if size > MOST_BYTES:
        limit = MOST_BYTES // (1024 * 1024)
        parts = "files of fewer images" if begins_as_json(path) else "parts, each with the header"
        raise StudyRefused(f"{path.name} is larger than {limit} MB. Split it into {parts}.")

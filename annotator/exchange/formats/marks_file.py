"""Read the `marks` export: gather the rows of one annotation into a row of the sheet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import groupby
from typing import Final

from annotator.exchange.formats.report import RowNote, StudyRefused
from annotator.exchange.formats.sheet import Sheet, SheetRow, rationale_heading, sheet_of, sheet_of_rows
from annotator.exchange.formats.tables import Record, Table
from scoring.grid.taxonomy import BODY_PARTS, CELL_BY_KEY, COUNT_KINDS, SHEET_COLUMNS

_PLACE: Final = ("Model", "Prompt", "Pic Num.", "Annotator")
_MARK: Final = ("error_type", "body_part", "severity", "affected", "total")
MARKS_REQUIRED: Final = (*_PLACE, *_MARK)
MARKS_OPTIONAL: Final = (
    *("Image Id", "own_total", "error_fraction", "weight", "score", "pins", "batch", "status", "rationale"),
    *("people", "drawn", "guideline"),
    *(f"{kind}_{part}" for kind in COUNT_KINDS for part in BODY_PARTS),
)
_NO_ROWS_WITHOUT_ERRORS: Final = (
    "a marks file has no rows for images without errors; import those from the sheet"
)
_MOST_PINS: Final = 99

Pins = tuple[tuple[float, float], ...]


def read_marks(table: Table) -> Sheet:
    """Return the annotations of a marks file, numbered by their first rows. Raises StudyRefused without rows.

    One unusable mark rejects the whole annotation, because the rest would be a different one.
    """
    if not table.records:
        raise StudyRefused(f"{table.name} has a header but no rows.")
    notes = list(table.notes)
    notes.append(RowNote(None, "", table.name, _NO_ROWS_WITHOUT_ERRORS))
    rows: list[SheetRow] = []
    refused: list[RowNote] = []
    for _, group in groupby(sorted(table.records, key=_answer_of), key=_answer_of):
        records = sorted(group, key=lambda record: record.number)
        found = _gathered(records)
        if isinstance(found, RowNote):
            refused.append(found)
        else:
            rows.append(found)
    rows.sort(key=lambda row: row.number_in_file)
    refused.sort(key=lambda note: note.row or 0)
    return sheet_of_rows(table.name, rows, refused=refused, remarks=notes)


def _answer_of(record: Record) -> tuple[str, ...]:
    # An annotator may have judged an image in two batches: these are two annotations.
    return tuple(record.values.get(heading, "").strip() for heading in (*_PLACE, "Image Id", "batch"))


def _gathered(records: list[Record]) -> SheetRow | RowNote:
    first = records[0]
    cells: dict[str, list[str]] = {}
    reasons: dict[str, list[str]] = {}
    pins: dict[tuple[str, str], Pins] = {}
    for record in records:
        fault = _fault(record)
        if fault is not None:
            column, reason = fault
            return RowNote(record.number, column, record.values.get("Image Id", ""), reason)
        values = {heading: value.strip() for heading, value in record.values.items()}
        key = f"{values['error_type']}.{values['body_part']}"
        mark = f"{values['affected']}/{values['total']}{values['severity']}"
        cells.setdefault(CELL_BY_KEY[key].heading, []).append(mark)
        if reason := values.get("rationale", ""):
            reasons.setdefault(rationale_heading(key), []).append(reason)
        pins[key, values["severity"]] = _pins(values.get("pins", "")) or ()
    row = _sheet_row(first, {heading: ",".join(marks) for heading, marks in cells.items()})
    if isinstance(row, RowNote):
        return row
    if row.problems:
        problem = row.problems[0]
        reason = f"the mark “{problem.text}” cannot be used: {problem.reason}"
        return RowNote(first.number, problem.column, row.image_id, reason)
    others = {heading: " ".join(dict.fromkeys(texts)) for heading, texts in reasons.items()}
    return replace(row, others=others, pins={place: points for place, points in pins.items() if points})


def _fault(record: Record) -> tuple[str, str] | None:
    """Return the column and the reason if a mark is unusable."""
    if record.problem:
        return record.column, record.problem
    values = {heading: value.strip() for heading, value in record.values.items()}
    if f"{values['error_type']}.{values['body_part']}" not in CELL_BY_KEY:
        return "error_type", f"there is no cell “{values['error_type']}”, “{values['body_part']}”"[:200]
    if not values["total"]:
        return "total", "the mark has no total: it belongs to an unfinished draft"
    status = values.get("status", "")
    if status not in ("", "submitted"):
        return "status", f"the annotation is {status[:40]}; only submitted ones are imported"
    if _pins(values.get("pins", "")) is None:
        return "pins", "pins are written as x y; x y, each from 0 to 1"
    return None


def _sheet_row(record: Record, cells: Mapping[str, str]) -> SheetRow | RowNote:
    """Return the equivalent row of the sheet, by the sheet's rules."""
    values = dict.fromkeys(SHEET_COLUMNS, "")
    values |= {heading: record.values.get(heading, "") for heading in (*_PLACE, "Image Id")}
    sheet = sheet_of(Table("", (Record(record.number, values | dict(cells)),)))
    return sheet.rows[0] if sheet.rows else sheet.refused[0]


def _pins(text: str) -> Pins | None:
    """Parse pins as exported; None for anything else."""
    if not text:
        return ()
    points = [point.split() for point in text.split(";")]
    try:
        pins = tuple((float(x), float(y)) for x, y in points)
    except ValueError:
        return None
    inside = all(0 <= number <= 1 for pin in pins for number in pin)
    return pins if inside and len(pins) <= _MOST_PINS else None

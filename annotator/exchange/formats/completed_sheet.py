"""Read the rows of a completed queue sheet, before they are matched to assignments."""

from __future__ import annotations

from typing import Final

from annotator.exchange.formats.csv_tables import CsvTable, Record
from annotator.exchange.formats.report import RowNote, StudyRefused
from annotator.exchange.formats.sheet import Sheet, SheetRow, cell_fault, read_cells, sheet_of_rows
from scoring.grid.taxonomy import CELLS

ASSIGNMENT: Final = "Assignment"
NO_ERRORS: Final = "No errors"
YES: Final = "yes"
QUEUE_REQUIRED: Final = (ASSIGNMENT, NO_ERRORS, *(cell.heading for cell in CELLS))
QUEUE_OPTIONAL: Final = ("Place", "Image", "Prompt", "Model")
_SHOWN: Final = 60


def ends_raw(identity: str) -> bool:
    """Return whether a row's identity has a fourth part: a protocol whose cells are not terms."""
    return identity.count("/") == 3 and "://" not in identity


def read_queue(table: CsvTable) -> Sheet:
    """Return the completed rows of a queue sheet. Raises StudyRefused if there are none."""
    rows: list[SheetRow] = []
    refused: list[RowNote] = []
    empty = 0
    for record in table.records:
        found = _row(record)
        if found is None:
            empty += 1
        elif isinstance(found, SheetRow):
            rows.append(found)
        else:
            refused.append(found)
    if not rows and not refused:
        raise StudyRefused(f"{table.name} has no completed rows. Complete at least one row.")
    notes = list(table.notes)
    if empty:
        reason = f"empty rows: {empty:,}. They stay in the queue"
        notes.append(RowNote(None, "", table.name, reason))
    return sheet_of_rows(table.name, rows, refused=refused, remarks=notes)


def _row(record: Record) -> SheetRow | RowNote | None:
    """Return one row; None if it is empty."""
    cells = {cell.heading: text for cell in CELLS if (text := record.values[cell.heading]).strip()}
    done = record.values[NO_ERRORS].strip()
    named = f"place {record.values.get('Place', '').strip() or '?'}"
    fault = (record.column, record.problem) if record.problem else cell_fault(cells)
    if fault is not None:
        return RowNote(record.number, fault[0], named, fault[1])
    if not cells and not done:
        return None
    if done and done.casefold() != YES:
        return RowNote(record.number, NO_ERRORS, named, f"“{done[:_SHOWN]}” is not “{YES}”")
    if done and cells:
        return RowNote(record.number, NO_ERRORS, named, "“No errors” is set, but cells have errors")
    identity = record.values[ASSIGNMENT].strip()
    # The protocol reads the cells after the assignment is found.
    terms, problems = ({}, ()) if ends_raw(identity) else read_cells(record.number, cells)
    return SheetRow(
        number_in_file=record.number,
        image_id=named,
        generator="",
        prompt="",
        number=0,
        annotator="",
        cells=cells,
        terms=terms,
        problems=problems,
        others={},
        identity=identity,
    )

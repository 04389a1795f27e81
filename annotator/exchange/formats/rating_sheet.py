"""Read a rating sheet: a row per annotation, and a protocol's own columns in place of the 25 cells."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Final

from annotator.exchange.formats.csv_tables import CsvTable, Record, table_of
from annotator.exchange.formats.report import RowNote, StudyRefused
from annotator.exchange.formats.sheet import FILE, Sheet, SheetRow, sheet_of, sheet_of_rows
from scoring.grid.taxonomy import SHEET_COLUMNS

NAMES: Final = {"generator": "Model", "prompt": "Prompt", "number": "Pic Num.", "annotator": "Annotator"}
"""The columns that identify an annotation, and their names in the sheet of the study."""
_IMAGE_ID: Final = "Image Id"
_SHEET_NAMES: Final = {theirs: ours for ours, theirs in NAMES.items()}
_NO_IMAGE: Final = (
    "{name} does not say which image a row is about: it needs the columns “generator”, “prompt” and "
    "“number”, or the column “file” or “Image Id”."
)


def rating_table(
    name: str, lines: list[tuple[int, list[str]]], notes: Iterable[RowNote], own: Collection[str]
) -> CsvTable:
    """Return the table; the first of a protocol's `own` columns is required. Raises StudyRefused."""
    first, *rest = own
    optional = ("generator", "prompt", "number", FILE, _IMAGE_ID, *rest)
    required = ("annotator", first)
    # A row without a rating may state another column instead, or is refused for what it lacks.
    table = table_of(name, lines, notes, required=required, optional=optional, reached=("annotator",))
    there = set(table.records[0].values) if table.records else set(optional)
    if there.isdisjoint((FILE, _IMAGE_ID)) and not {"generator", "prompt", "number"} <= there:
        raise StudyRefused(_NO_IMAGE.format(name=name))
    return table


def read_ratings(table: CsvTable, own: Collection[str]) -> Sheet:
    """Return the rows with the texts of a protocol's `own` columns as cells, unread.

    Raises StudyRefused for a table without rows.
    """
    if not table.records:
        raise StudyRefused(f"{table.name} has a header but no rows.")
    rows: list[SheetRow] = []
    refused: list[RowNote] = []
    for record in table.records:
        row = _row(record, own)
        if isinstance(row, RowNote):
            column = _SHEET_NAMES.get(row.column, row.column)
            refused.append(replace(row, column=column, reason=row.reason.replace(row.column or "\0", column)))
        else:
            rows.append(row)
    return sheet_of_rows(table.name, rows, refused=refused, remarks=table.notes)


def _row(record: Record, own: Collection[str]) -> SheetRow | RowNote:
    """Return the row by the rules of the study's sheet."""
    named = {theirs: record.values.get(ours, "") for ours, theirs in NAMES.items()}
    picture = record.values.get(FILE, "").strip()
    image_id = record.values.get(_IMAGE_ID, "")
    values = {**dict.fromkeys(SHEET_COLUMNS, ""), **named, _IMAGE_ID: image_id}
    names = " ".join(filter(None, (named["Model"], named["Prompt"], named["Pic Num."])))
    described = picture or names or image_id
    table = CsvTable("", (replace(record, values=values, picture=picture),), (), ())
    sheet = sheet_of(table, raw=True)
    if not sheet.rows:
        return replace(sheet.refused[0], text=described)
    texts = {heading: record.values.get(heading, "").strip() for heading in own}
    return replace(sheet.rows[0], cells={heading: text for heading, text in texts.items() if text})

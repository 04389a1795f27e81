"""Sheets of protocols with one word per cell: each row is accepted completely or refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from annotator.exchange.formats.names import printable
from annotator.exchange.formats.report import RowNote, StudyRefused
from annotator.exchange.formats.sheet import Sheet, SheetRow
from annotator.protocols.sheet import ReadCells, SheetReader

OTHER_NOTATION: Final = "other_notation"
"""The code of a refusal that conversion would avoid."""


def read_as(sheet: Sheet, reader: SheetReader, *, convert: bool) -> Sheet:
    """Return a sheet of raw cells with payloads; other rows are refused with a reason per cell.

    `convert` converts the notation of another protocol. Raises StudyRefused if the file has that notation and
    conversion was not requested.
    """
    if not convert and (found := _foreign(sheet.rows, reader)) is not None:
        number, text = found
        explained = reader.explained.format(text=printable(text), row=number)
        raise StudyRefused(f"{sheet.name} {explained}", code=OTHER_NOTATION, row=number)
    rows: list[SheetRow] = []
    refused: list[RowNote] = []
    for row in sheet.rows:
        reading = _read(row.cells, reader, convert)
        if reading.payload is not None:
            others = {**row.others, **({"converted": "yes"} if convert else {})}
            rows.append(replace(row, payload=reading.payload, others=others))
        refused += [RowNote(row.number_in_file, *problem) for problem in reading.problems]
    return replace(sheet, rows=tuple(rows), refused=(*sheet.refused, *refused))


def _read(cells: Mapping[str, str], reader: SheetReader, convert: bool) -> ReadCells:
    return reader.convert(cells) if convert else reader.read(cells)


def _foreign(rows: tuple[SheetRow, ...], reader: SheetReader) -> tuple[int, str] | None:
    for row in rows:
        for text in row.cells.values():
            if reader.foreign(text.strip()):
                return row.number_in_file, text.strip()
    return None

"""Sheets of protocols whose cells are a word each: every row read whole, or refused with its cells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from annotator.exchange.formats.names import printable
from annotator.exchange.formats.report import RowNote, StudyRefused
from annotator.exchange.formats.sheet import Sheet, SheetRow
from annotator.protocols.sheet import SheetReader, SheetReading

OTHER_NOTATION: Final = "other_notation"
"""The code of the refusal of a file that could be converted."""


def read_as(sheet: Sheet, reader: SheetReader, *, convert: bool) -> Sheet:
    """Return a sheet of raw cells with what its rows say; the others are refused, each cell by name.

    `convert` reads the notation that the reader knows as another protocol's. Raises StudyRefused where the
    file has that notation and nobody asked for a conversion.
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


def _read(cells: Mapping[str, str], reader: SheetReader, convert: bool) -> SheetReading:
    return reader.convert(cells) if convert else reader.read(cells)


def _foreign(rows: tuple[SheetRow, ...], reader: SheetReader) -> tuple[int, str] | None:
    for row in rows:
        for text in row.cells.values():
            if reader.foreign(text.strip()):
                return row.number_in_file, text.strip()
    return None

"""The presence sheet: 1 in a cell with an error, 0 or empty in all others."""

from __future__ import annotations

from typing import Final

from annotator.protocols.sheet_format import Cells, ReadCells, SheetFormat, SheetReader
from scoring.grid.taxonomy import CELLS
from scoring.presence.protocol import PRESENCE
from scoring.protocol import Payload

MARKED: Final = frozenset({"1", "yes", "x"})
NOT_MARKED: Final = frozenset({"", "0", "no"})
_SHOWN: Final = 60
_OTHER_WORD: Final = (
    "is not 1 or 0, yes or no, x or empty; a sheet of counts belongs to the protocol that counts"
)


def written(payload: Payload) -> dict[str, str]:
    """Return 1 or 0 for each of the 25 headings."""
    marked = set(payload["cells"])
    return {cell.heading: "1" if cell.key in marked else "0" for cell in CELLS}


def read(cells: Cells) -> ReadCells:
    """Read a row, ignoring case."""
    texts = {cell: cells.get(cell.heading, "").strip() for cell in CELLS}
    problems = tuple(
        (cell.heading, text[:_SHOWN], _OTHER_WORD)
        for cell, text in texts.items()
        if text.casefold() not in MARKED | NOT_MARKED
    )
    if problems:
        return ReadCells(None, problems)
    marked = [cell.key for cell, text in texts.items() if text.casefold() in MARKED]
    return ReadCells({**PRESENCE.empty(), "cells": marked, "no_errors": not marked})


SHEET: Final = SheetFormat(
    rule="1 for an error, 0 or empty for none; yes or x and no are accepted too.",
    reader=SheetReader(read, written),
)

"""The presence sheet: 1 in a cell with an error, 0 or empty in all others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from annotator.protocols.sheet_format import Cells, ReadCells, SheetFormat, SheetReader
from scoring.grid.notation import read_cell
from scoring.grid.taxonomy import CELLS
from scoring.presence.protocol import PRESENCE
from scoring.protocol import Payload

MARKED: Final = frozenset({"1", "yes", "x"})
NOT_MARKED: Final = frozenset({"", "0", "no"})
_SHOWN: Final = 60


def written(payload: Payload) -> dict[str, str]:
    """Return 1 or 0 for each of the 25 headings."""
    marked = set(payload["cells"])
    return {cell.heading: "1" if cell.key in marked else "0" for cell in CELLS}


def read(cells: Cells) -> ReadCells:
    """Read a row, ignoring case."""
    return _reading(cells, _marks, _fits, "is not 1 or 0, yes or no, x or empty")


def convert(cells: Cells) -> ReadCells:
    """Read a row of a counted sheet: mark each cell that has a term."""
    return _reading(cells, _counted, lambda text: not text or _counted(text), "is not counted notation")


def _marks(text: str) -> bool:
    return text.casefold() in MARKED


def _fits(text: str) -> bool:
    return text.casefold() in MARKED | NOT_MARKED


def _counted(text: str) -> bool:
    terms, problems = read_cell(text)
    return bool(terms) and not problems


def _reading(
    cells: Cells, marks: Callable[[str], bool], fits: Callable[[str], bool], reason: str
) -> ReadCells:
    texts = {cell: cells.get(cell.heading, "").strip() for cell in CELLS}
    problems = tuple((cell.heading, text[:_SHOWN], reason) for cell, text in texts.items() if not fits(text))
    if problems:
        return ReadCells(None, problems)
    marked = [cell.key for cell, text in texts.items() if marks(text)]
    return ReadCells({**PRESENCE.empty(), "cells": marked, "no_errors": not marked})


SHEET: Final = SheetFormat(
    rule="1 for an error, 0 or empty for none; yes or x and no are accepted too.",
    reader=SheetReader(
        read=read,
        write=written,
        foreign=_counted,
        convert=convert,
        explained=(
            "contains counts and severities, such as “{text}” in row {row}, but presence only records "
            "whether there is an error: 1 or 0. Import the file under the counted protocol, or convert it: "
            "each cell with a term is then marked."
        ),
    ),
)

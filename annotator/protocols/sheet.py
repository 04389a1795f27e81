"""How a protocol's answers stand in the sheet: one text in each of its columns for cells."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from scoring.grid.notation import Term
from scoring.protocol import Payload

Cells = Mapping[str, str]
"""Texts by heading, as written; empty ones may be left out."""

Problem = tuple[str, str, str]
"""Heading, text and reason of a cell that cannot be read."""


@dataclass(frozen=True)
class SheetReading:
    """What a row says: a complete payload, or None where cells cannot be read."""

    payload: Payload | None
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True)
class SheetReader:
    """Reads and writes the cells of a protocol that are a word each.

    `write` gives every heading its text. `foreign` tells a text of another protocol's notation, and
    `convert` reads a row of those; `explained` says what such a file is and what can be done.
    """

    read: Callable[[Cells], SheetReading]
    write: Callable[[Payload], Cells]
    foreign: Callable[[str], bool]
    convert: Callable[[Cells], SheetReading]
    explained: str


@dataclass(frozen=True)
class CountedCells:
    """Turns the terms of the counted sheet, by cell key, into a payload and back.

    `payload` takes the terms and whether the row says that there are no errors.
    """

    payload: Callable[[Mapping[str, Iterable[Term]], bool], Payload]
    terms: Callable[[object], Mapping[str, tuple[Term, ...]]]


@dataclass(frozen=True)
class Sheet:
    """The sheet of a protocol: `rule` in a few words, `guide` line by line, and a spreadsheet's check.

    `formula` makes the check of the cell that it is given. Cells hold a word each, which the `reader` reads,
    or the terms of the counted sheet, which `annotator.exchange` reads and `counted` makes payloads of.
    """

    rule: str
    guide: tuple[tuple[str, str], ...]
    formula: Callable[[str], str]
    reader: SheetReader | None = None
    counted: CountedCells | None = None

"""The spreadsheet format of a protocol: one text per cell column."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeVar

from scoring.grid.notation import Term
from scoring.protocol import Clean, InvalidPayload, Payload

Cells = Mapping[str, str]
"""Texts by heading, as written; empty ones are optional."""

Problem = tuple[str, str, str]
"""Heading, text and reason of an unreadable cell."""


@dataclass(frozen=True)
class ReadCells:
    """The content of a row: a complete payload, or None if cells are unreadable."""

    payload: Payload | None
    problems: tuple[Problem, ...] = ()


MOST_SHOWN: Final = 60
Meant = TypeVar("Meant")


def meant_by(text: str, words: Mapping[str, Meant]) -> Meant | None:
    """Return what a text means among casefolded words: `Multiple People` is `multiple_people`.

    Spaces, hyphens and underscores make no difference unless several words are alike; None for other texts.
    """
    folded = text.casefold()
    if folded in words:
        return words[folded]
    letters = _letters(folded)
    alike = {meant for word, meant in words.items() if letters and _letters(word) == letters}
    return alike.pop() if len(alike) == 1 else None


def _letters(text: str) -> str:
    """Return the letters and digits of a text; nothing of a number, whose sign counts."""
    kept = "".join(filter(str.isalnum, text))
    return "" if kept.isdigit() else kept


def read_payload(clean: Clean, payload: Payload, headings: Mapping[str, str], texts: Cells) -> ReadCells:
    """Return a checked row; `headings` are the columns of its fields, by default the first."""
    try:
        return ReadCells(clean(payload).payload())
    except InvalidPayload as error:
        first = next(iter(headings.values()))
        named = [(headings.get(field, first), " ".join(told)) for field, told in error.errors.items()]
        return ReadCells(None, tuple((name, texts.get(name, "")[:MOST_SHOWN], told) for name, told in named))


class Exported(NamedTuple):
    """How the export of a sheet is described: the file, its rows, a cell, and what stands for the cells."""

    words: str
    rows: str
    meaning: str
    shown: str


OF_CELLS: Final = Exported(
    "The 30 columns of the published sheet, ready to import again.",
    "one row per annotation in the 30 columns of the published study",
    "whether the annotation marks the cell",
    "the 25 cells",
)


@dataclass(frozen=True)
class SheetReader:
    """Read and write the cells of a protocol with one word per cell.

    `write` returns the text of every heading.
    `headings` are the columns of a table of its own in place of the 25 cells, the first of them required.
    `exported` is None for a sheet that is only read.
    """

    read: Callable[[Cells], ReadCells]
    write: Callable[[Payload], Cells]
    headings: tuple[str, ...] = ()
    exported: Exported | None = OF_CELLS


@dataclass(frozen=True)
class CountedCells:
    """Convert the terms of the counted sheet, by cell key, to a payload and back.

    `payload` takes the terms and whether the row is marked as free of errors.
    """

    payload: Callable[[Mapping[str, Iterable[Term]], bool], Payload]
    terms: Callable[[object], Mapping[str, tuple[Term, ...]]]


@dataclass(frozen=True)
class SheetFormat:
    """The sheet of a protocol, and its notation as a short `rule`.

    Cells contain either a word each, read by `reader`, or the
    terms of the counted sheet, read by `annotator.exchange` and converted by `counted`.
    """

    rule: str
    reader: SheetReader | None = None
    counted: CountedCells | None = None

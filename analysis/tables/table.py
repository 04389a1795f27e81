"""Tables for pages and the terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any, TypeVar, overload

from analysis.tables.wording import named, rounded

LINE = 100


@dataclass(frozen=True)
class Part:
    """A segment of a bar from `start` to `start + width` percent; `kind` is a, b, c or plain."""

    kind: str
    start: float
    width: float


@dataclass(frozen=True)
class TableCell:
    """A cell: text, right-aligned if numeric, a `note` on it, and a `bar` and a `link` for pages.

    `link` is the query string of the gallery of images behind it.
    """

    text: str
    numeric: bool = False
    note: str = ""
    bar: tuple[Part, ...] = ()
    link: str = ""


@dataclass(frozen=True)
class Heading:
    """A column's title; `hint` describes its numbers.

    `severity` is the letter of a column about one severity, `meaning` its word.
    """

    text: str
    numeric: bool = False
    hint: str = ""
    severity: str = ""
    meaning: str = ""


Row = tuple[TableCell, ...]


Made = TypeVar("Made")


class RowsOnDemand(Sequence[Made]):
    """Rows made on access, since pages show only the first of thousands."""

    def __init__(self, entries: Sequence[Any], make: Callable[[Any], Made]) -> None:
        self._entries, self._make = entries, make

    def __len__(self) -> int:
        return len(self._entries)

    @overload
    def __getitem__(self, place: int) -> Made: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[Made, ...]: ...

    def __getitem__(self, place: int | slice) -> Made | tuple[Made, ...]:
        if isinstance(place, slice):
            return tuple(map(self._make, self._entries[place]))
        return self._make(self._entries[place])

    def __repr__(self) -> str:
        return repr(list(self))


@dataclass(frozen=True)
class Table:
    """A table with a description in `words`; every row has a cell per heading, its name first."""

    slug: str
    title: str
    words: str
    headings: tuple[Heading, ...]
    rows: Sequence[Row]

    @property
    def hints(self) -> tuple[Heading, ...]:
        """Return the headings that have a hint."""
        return tuple(heading for heading in self.headings if heading.hint)


def name(text: str) -> TableCell:
    """Return a text cell of a name."""
    return TableCell(named(text))


def number(value: float | None, places: int, *, undefined: str = "") -> TableCell:
    """Return a rounded number, or a dash with the reason for having none."""
    if value is None:
        return TableCell("–", numeric=True, note=undefined)
    return TableCell(rounded(value, places), numeric=True)


def count(value: int | None) -> TableCell:
    """Return a whole number with groups of three digits, or a dash."""
    return TableCell("–" if value is None else f"{value:,}", numeric=True)


def probability(value: float | None) -> TableCell:
    """Return a p value: three places, `< 0.001` below; a dash without one."""
    if value is None:
        return TableCell("–", numeric=True)
    return TableCell("< 0.001" if value < 0.001 else f"{value:.3f}", numeric=True)


def as_text(table: Table) -> str:
    """Return the table for a terminal: title, description, aligned columns and notes."""
    grid = [[heading.text for heading in table.headings]]
    grid += [[cell.text for cell in row] for row in table.rows]
    widths = [max(len(line[column]) for line in grid) for column in range(len(table.headings))]
    right = [heading.numeric for heading in table.headings]
    lines = [_aligned(line, widths, right) for line in grid]
    lines.insert(1, "  ".join("─" * width for width in widths))
    words = wrap(table.words, LINE)
    return "\n".join([table.title, *words, "", *lines, *_reasons(table)])


def _aligned(line: list[str], widths: list[int], right: list[bool]) -> str:
    padded = (
        text.rjust(width) if flush else text.ljust(width)
        for text, width, flush in zip(line, widths, right, strict=True)
    )
    return "  ".join(padded).rstrip()


def _reasons(table: Table) -> Iterator[str]:
    for row in table.rows:
        for heading, cell in zip(table.headings, row, strict=True):
            if cell.note:
                yield f"{row[0].text}, {heading.text}: {cell.note}"

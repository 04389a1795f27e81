"""A table that a page and a terminal can both show, and numbers as people read them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import getitem
from textwrap import wrap
from typing import Any, overload

MINUS = "−"
LINE = 100


@dataclass(frozen=True)
class Part:
    """A stretch of a bar from `start` to `start + width`, in percent; `kind` is a, b, c or plain."""

    kind: str
    start: float
    width: float


@dataclass(frozen=True)
class Cell:
    """A text, flush right if it is a number; `note` says what the text cannot; `bar` is drawn on pages."""

    text: str
    numeric: bool = False
    note: str = ""
    bar: tuple[Part, ...] = ()


@dataclass(frozen=True)
class Heading:
    """A column's title; `hint` says in words what its numbers mean.

    `severity` is the letter of a column about one severity, `meaning` its word.
    """

    text: str
    numeric: bool = False
    hint: str = ""
    severity: str = ""
    meaning: str = ""


Row = tuple[Cell, ...]


class RowsOnDemand(Sequence[Row]):
    """Rows that are made when they are looked at: of thousands a page shows the first."""

    def __init__(self, entries: Sequence[Any], make: Callable[[Any], Row]) -> None:
        self._entries, self._make = entries, make

    def __len__(self) -> int:
        return len(self._entries)

    @overload
    def __getitem__(self, place: int) -> Row: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[Row, ...]: ...

    def __getitem__(self, place: int | slice) -> Row | tuple[Row, ...]:
        if isinstance(place, slice):
            return tuple(map(self._make, self._entries[place]))
        return self._make(self._entries[place])


@dataclass(frozen=True)
class Table:
    """`words` say in plain language what is shown; every row has a cell per heading, its name first."""

    slug: str
    title: str
    words: str
    headings: tuple[Heading, ...]
    rows: Sequence[Row]

    @property
    def hints(self) -> tuple[Heading, ...]:
        """The headings that need explaining."""
        return tuple(heading for heading in self.headings if heading.hint)


Column = tuple[Heading, Callable[[Any], Cell]]
"""A heading, and what makes the cell below it of the entry of a row."""


def column(
    make: Callable[[Any], Cell], title: str, of: str | Callable[[Any], Any], hint: str = "", **more: str
) -> Column:
    """A column of the cells that `make` makes; all but names are numbers.

    `of` finds in an entry what they are made of: a key, or several for what lies deeper, joined by `.`.
    `more` are further fields of the heading.
    """

    def cell(entry: Any) -> Cell:
        return make(of(entry) if callable(of) else reduce(getitem, of.split("."), entry))

    return Heading(title, make is not name, hint, **more), cell


def table_of(
    slug: str,
    title: str,
    words: str,
    columns: Sequence[Column],
    entries: Sequence[Any],
    *,
    on_demand: bool = False,
) -> Table:
    """A table with a row for each entry, made at once or `on_demand`."""
    rows = RowsOnDemand(entries, lambda entry: tuple(make(entry) for _, make in columns))
    headings = tuple(heading for heading, _ in columns)
    return Table(slug, title, words, headings, rows if on_demand else tuple(rows))


def without_hints(columns: Iterable[Column]) -> list[Column]:
    """The same columns where another table explains them."""
    return [(replace(heading, hint=""), make) for heading, make in columns]


def name(text: str) -> Cell:
    """A text cell; an empty name is shown as such."""
    return Cell(text or "(none)")


def number(value: float | None, places: int, *, undefined: str = "") -> Cell:
    """A rounded number, or a dash with the reason for having none."""
    if value is None:
        return Cell("–", numeric=True, note=undefined)
    return Cell(rounded(value, places), numeric=True)


def count(value: int) -> Cell:
    """A whole number with groups of three digits."""
    return Cell(f"{value:,}", numeric=True)


def rounded(value: float, places: int) -> str:
    """The number with a proper minus sign, and never a negative zero."""
    text = f"{value:,.{places}f}"
    if not text.strip("-0.,"):
        return text.lstrip("-")
    return text.replace("-", MINUS)


def probability(value: float | None, *, undefined: str = "") -> Cell:
    """A p value: three places, `< 0.001` below."""
    if value is None:
        return Cell("–", numeric=True, note=undefined)
    return Cell("< 0.001" if value < 0.001 else f"{value:.3f}", numeric=True)


def span(estimate: Mapping[str, Any], places: int = 2) -> Cell:
    """An estimate's interval, `−1.69 to −0.89`, or why it has none."""
    if estimate["low"] is None:
        return Cell("–", numeric=True, note=f"no interval: {estimate['refused']}")
    return Cell(f"{rounded(estimate['low'], places)} to {rounded(estimate['high'], places)}", numeric=True)


def as_text(table: Table) -> str:
    """The table for a terminal: title, words, aligned columns, and the reasons of what has no value."""
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

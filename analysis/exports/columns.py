"""Columns of exported files, each declared once, and the format of their values."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Any

from scoring.formula_guard import guarded

# As in the published sheet: commas, quotes if needed, UTF-8 without a byte order mark.
LINE_END = "\r\n"
LINES_PER_PIECE = 200
_KEPT = 2**12

Value = str | int | float | bool | None
Line = list[Value]


class Kind(Enum):
    """The type of a column's values; any may be missing, as an empty text for texts."""

    TEXT = "text"
    INTEGER = "integer"
    NUMBER = "number"
    TRUTH = "truth"


@dataclass(frozen=True)
class Column:
    """One column, for files, the data dictionary of a bundle, and docs/reference/data-formats.md.

    `meaning` and `values` are Markdown. `only` lists the possible values, if enumerable; `least` is the
    smallest; `moment` marks a text as a time; `shown` names all columns that the docs describe in one line.
    """

    name: str
    kind: Kind = Kind.TEXT
    meaning: str = ""
    values: str = "text"
    unit: str = ""
    only: tuple[str, ...] = ()
    least: int | None = None
    moment: bool = False
    shown: str = ""

    @property
    def documented(self) -> str:
        """The line of the table in docs/reference/data-formats.md."""
        return f"| {self.shown or f'`{self.name}`'} | {self.meaning} | {self.values} |"


def columns(kind: Kind, *names: str, meaning: str, shown: str = "", **more: Any) -> tuple[Column, ...]:
    """Return columns of one kind and one meaning, named together."""
    shown = shown or ", ".join(f"`{name}`" for name in names)
    return tuple(Column(name, kind, meaning, shown=shown, **more) for name in names)


def count(name: str, meaning: str, values: str = "count", *, least: int | None = 0, **more: Any) -> Column:
    """Return a column of whole numbers."""
    return Column(name, Kind.INTEGER, meaning, values, least=least, **more)


def one_of(name: str, meaning: str, only: Sequence[str], otherwise: str = "", **more: Any) -> Column:
    """Return a column of texts that are one of `only`; `otherwise` says when there is none."""
    values = f"{', '.join(f'`{each}`' for each in only)}{otherwise and f'; {otherwise}'}"
    return Column(name, meaning=meaning, values=values, only=tuple(only), **more)


@dataclass(frozen=True)
class Dialect:
    """How a format writes values: CSV as safe text, others unchanged."""

    text: Callable[[str], str]
    number: Callable[[int, int], Value]
    truth: Callable[[bool], Value]


def as_number(numerator: int, denominator: int) -> int | float:
    """Return a whole number as such, others as the nearest float; division rounds once, at the end."""
    whole, rest = divmod(numerator, denominator)
    return numerator / denominator if rest else whole


def as_text(numerator: int, denominator: int) -> str:
    """Return the same number as the shortest decimal that reads back equal."""
    return repr(as_number(numerator, denominator))


PLAIN = Dialect(text=str, number=as_number, truth=bool)
# Names and numbers come again and again.
CSV = Dialect(
    text=lru_cache(_KEPT)(guarded),
    number=lru_cache(_KEPT)(as_text),
    truth=lambda value: "true" if value else "false",
)


def csv_text(lines: Iterable[Line]) -> str:
    """Return lines as CSV."""
    buffer = io.StringIO(newline="")
    csv.writer(buffer, lineterminator=LINE_END).writerows(lines)
    return buffer.getvalue()

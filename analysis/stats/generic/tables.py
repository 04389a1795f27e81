"""A result as a list of tables: what a page, a terminal, a file and a program can all read.

A table has typed columns with a title, a unit and a meaning, and rows of plain values. An estimate is one
value: an object with its number, its interval and, where something is missing, the reason. A text may be
a list of several.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

ColumnKind = Literal["text", "count", "number", "estimate", "share", "p"]
Row = Sequence[Any]
Json = dict[str, Any]


@dataclass(frozen=True)
class Column:
    """A column: `kind` says how its values are read, `meaning` what they say, in plain words."""

    name: str
    title: str
    kind: ColumnKind = "text"
    meaning: str = ""
    unit: str = ""

    def as_json(self) -> Json:
        """The column with what is not empty of it."""
        return {key: value for key, value in vars(self).items() if value}


def table(name: str, title: str, words: str, columns: Sequence[Column], rows: Iterable[Row]) -> Json:
    """A table of a result; raises ValueError for a row that does not have a value for every column."""
    listed = [list(row) for row in rows]
    for row in listed:
        if len(row) != len(columns):
            raise ValueError(f"table {name!r}: {len(row)} values for {len(columns)} columns")
    return {
        "name": name,
        "title": title,
        "words": words,
        "columns": [column.as_json() for column in columns],
        "rows": listed,
    }


def finding(code: str, table_name: str, row: int) -> Json:
    """Something worth saying first: what it is, and the row of the table that its numbers stand in."""
    return {"code": code, "table": table_name, "row": row}


def figure(kind: str, table_name: str, title: str, **columns: str) -> Json:
    """A figure: how a table is drawn, and which of its columns play which part."""
    return {"kind": kind, "table": table_name, "title": title, **columns}

"""Results as lists of tables, for pages, the terminal, files and programs.

A table has typed columns with title, unit and meaning, and rows of plain values. An estimate is one value: an
object with number, interval and, if something is missing, the reason. A text may be a list of texts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

ColumnKind = Literal["text", "count", "number", "estimate", "share", "p", "data"]
"""`data` is for programs: pages and files of tables leave it out."""
Row = Sequence[Any]
Json = dict[str, Any]
ALL_ANNOTATORS: Final = "All annotators"
"""The row of a table about people that is about all of them, which no bundle renames."""
_ENDINGS: Final = {"body_map": "map"}
"""How the name of a figure ends, if not with its kind."""


@dataclass(frozen=True)
class ResultColumn:
    """A column: `kind` is the type of its values, `meaning` their description.

    `severity` is the letter of a column about one severity.
    """

    name: str
    title: str
    kind: ColumnKind = "text"
    meaning: str = ""
    unit: str = ""
    severity: str = ""

    def as_json(self) -> Json:
        """Return the column without empty fields; its title may be a generator's empty name."""
        return {key: value for key, value in vars(self).items() if value or key == "title"}


def table(
    name: str,
    title: str,
    words: str,
    columns: Sequence[ResultColumn],
    rows: Iterable[Row],
    *,
    line: str = "",
) -> Json:
    """Return a table of a result; raise ValueError for a row without a value for every column.

    `line` is its result in a few words, shown while its section is folded.
    """
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
        **({"line": line} if line else {}),
    }


def finding(code: str, table_name: str, row: int | None) -> Json:
    """Return a finding: its code and the table row with its numbers, None if it is about the whole table."""
    return {"code": code, "table": table_name, "row": row}


def figure(kind: str, table_name: str, title: str, **columns: str) -> Json:
    """Return a figure: how to draw a table, and the roles of its columns.

    Its slug is made of table and kind, unless `slug` is given.
    """
    return {"kind": kind, "table": table_name, "title": title, **columns}


def slug_of(figure: Mapping[str, Any]) -> str:
    """Return a figure's own name, or that of its table and kind."""
    kind: str = figure["kind"]
    return figure.get("slug") or f"{figure['table']}-{_ENDINGS.get(kind, kind)}"


def rows_of(result: Mapping[str, Any], name: str) -> list[Json]:
    """Return the rows of a result's table by column; none if the result lacks it."""
    for table in result.get("tables", ()):
        if table["name"] == name:
            keys = [column["name"] for column in table["columns"]]
            return [dict(zip(keys, row, strict=True)) for row in table["rows"]]
    return []


def row_of(result: Mapping[str, Any], code: str) -> Json:
    """Return the row that the first finding of this code is about; raise StopIteration without one."""
    finding = next(other for other in result["findings"] if other["code"] == code)
    row: Json = rows_of(result, finding["table"])[finding["row"]]
    return row

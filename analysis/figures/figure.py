"""A figure: description, data and Vega-Lite view."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

Row = dict[str, Any]
Spec = dict[str, Any]

SCHEMA: Final = "https://vega.github.io/schema/vega-lite/v6.json"


@dataclass(frozen=True)
class FigureColumn:
    """One column of a figure's table: the key in its rows and the heading."""

    key: str
    title: str
    numeric: bool = True


@dataclass(frozen=True)
class Figure:
    """One figure of a report.

    `description` is the text alternative. `columns` and `rows` are its data table; `drawn` are the data sets
    of `view`, a Vega-Lite view. If it cannot be drawn, `refused` says why and the rest is empty.
    """

    slug: str
    title: str
    note: str = ""
    description: str = ""
    columns: Sequence[FigureColumn] = ()
    rows: Sequence[Row] = ()
    drawn: Mapping[str, Sequence[Row]] = field(default_factory=dict)
    view: Spec = field(default_factory=dict)
    refused: str = ""

    def spec(self, *, titled: bool = True) -> Spec:
        """Return the Vega-Lite specification with data but no theme; `titled` for use outside a page."""
        spec: Spec = {"$schema": SCHEMA, "description": self.description}
        if titled:
            subtitle = {"subtitle": _lines(self.note)} if self.note else {}
            spec["title"] = {"text": self.title, "anchor": "start", **subtitle}
        return {**spec, "datasets": {name: list(rows) for name, rows in self.drawn.items()}, **self.view}


class TableRead:
    """A table of a result, its columns by name and its rows by column name; and the whole result."""

    def __init__(self, table: Mapping[str, Any], result: Mapping[str, Any]) -> None:
        self.name: str = table["name"]
        self.columns = {column["name"]: column for column in table["columns"]}
        self.rows: list[Row] = [dict(zip(self.columns, row, strict=True)) for row in table["rows"]]
        self.result = result


def _lines(text: str, width: int = 88) -> list[str]:
    """Return wrapped lines, because Vega does not wrap text."""
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) >= width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def nothing(slug: str, title: str, reason: str) -> Figure:
    """Return a figure that cannot be drawn, with the reason."""
    return Figure(slug=slug, title=title, refused=reason)

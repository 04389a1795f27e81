"""The data dictionary: every column of every table of a bundle, for people and programs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from analysis.bundles.entries import DICTIONARY
from analysis.exports.column_descriptions import ColumnDescription, entry_of
from analysis.exports.columns import ExportColumn, Kind
from analysis.exports.headers import tidy_name

_LINK: Final = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_TYPES: Final = {
    Kind.TEXT: "string",
    Kind.INTEGER: "integer",
    Kind.NUMBER: "number",
    Kind.TRUTH: "boolean",
}
DICTIONARY_COLUMNS: Final = tuple(ExportColumn(entry.names[0]) for entry in DICTIONARY)


@dataclass(frozen=True)
class Described:
    """A column of a table with its entry."""

    column: ExportColumn
    entry: ColumnDescription

    @property
    def type(self) -> str:
        """Return the Table Schema type."""
        return "datetime" if self.entry.moment else _TYPES[self.column.kind]

    @property
    def meaning(self) -> str:
        """Return the meaning of the column as plain text."""
        return plain(self.entry.meaning)

    @property
    def values(self) -> str:
        """Return the possible values as plain text."""
        return plain(self.entry.values)

    def line(self, table: str) -> list[str]:
        """Return the values for DICTIONARY_COLUMNS."""
        name = self.column.name
        return [table, name, self.type, self.meaning, self.entry.unit, self.values, tidy_name(name)]

    def field(self) -> dict[str, Any]:
        """Return the column as a Table Schema field."""
        found: dict[str, Any] = {"name": self.column.name, "type": self.type, "description": self._words()}
        if self.entry.unit:
            found["unit"] = self.entry.unit
        if self.type == "boolean":
            found |= {"trueValues": ["true"], "falseValues": ["false"]}
        constraints: dict[str, Any] = {"enum": list(self.entry.only)} if self.entry.only else {}
        if self.entry.least is not None and self.type in ("integer", "number"):
            constraints["minimum"] = self.entry.least
        return found | ({"constraints": constraints} if constraints else {})

    def _words(self) -> str:
        return f"{self.meaning[:1].upper()}{self.meaning[1:]}. Values: {self.values}."


def described(
    table: str, columns: Sequence[ExportColumn], entries: Sequence[ColumnDescription]
) -> list[Described]:
    """Return the columns of a table with their entries; raise LookupError if one is missing."""
    return [Described(column, entry_of(table, column.name, entries)) for column in columns]


def plain(text: str) -> str:
    """Return a Markdown text without links, code and emphasis."""
    return _LINK.sub(r"\1", text).replace("`", "").replace("*", "")

"""The data dictionary: every column of every table of a bundle, for people and programs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from analysis.exports.column_descriptions import ColumnDescription, entry_of, of
from analysis.exports.columns import ExportColumn, Kind
from analysis.exports.layout import tidy_name

PICTURES: Final = (
    of(
        "file",
        "path of the image in the bundle",
        "text, `images/….png`; empty if the bundle has only its hash",
    ),
    of("format", "encoding of the original", "`PNG`, `JPEG`, `WEBP`", only=("PNG", "JPEG", "WEBP")),
    ColumnDescription(
        ("width", "height"), "size after applying the EXIF orientation", "count from 1", "pixels", least=1
    ),
    of("prompt_group", "the group of the prompt", "text; empty if none"),
    of("source_name", "name of the imported file", "text"),
)
PLAN: Final = (
    of("sha256", "image, by the SHA-256 of its file", "64 hexadecimal digits"),
    of(
        "position",
        "position in the annotator's queue",
        "whole number from 1 in released batches; missing if reassigned to another annotator",
        least=0,
    ),
    of(
        "assignment",
        "status of the assignment",
        "`open`, `done`, `skipped`, `withdrawn`",
        only=("open", "done", "skipped", "withdrawn"),
    ),
    ColumnDescription(
        ("prompt_seen", "generator_seen"),
        "whether the annotators of the batch saw the prompt and the generator",
        "`shown`, `hidden`; `varied`: shown part of the time; `unknown`: imported, not stated",
        only=("shown", "hidden", "varied", "unknown"),
    ),
    of(
        "zoom",
        "zoom that the batch allowed when the annotation was last saved",
        "`none`, `loupe`, `free`; empty without an annotation made on the annotation page",
        only=("none", "loupe", "free"),
    ),
    of(
        "zoom_seconds",
        "for how long the image was enlarged while it was annotated",
        "number; missing without an annotation made on the annotation page",
        unit="seconds",
        least=0,
    ),
)
DICTIONARY: Final = (
    of("table", "file in `data/`, without extension", "text"),
    of("column", "the column's heading", "text"),
    of("type", "type of the values", "`string`, `integer`, `number`, `boolean`, `datetime`"),
    of("meaning", "meaning of the column", "text"),
    of("unit", "what is counted or measured", "text; empty without a unit"),
    of("values", "possible values, and when one is missing", "text"),
    of("tidy_name", "the column's name in an export with the tidy header", "text"),
)


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

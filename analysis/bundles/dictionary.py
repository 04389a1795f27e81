"""The data dictionary: every column of every table of a bundle, for people and programs."""

from __future__ import annotations

import re
from typing import Any, Final

from analysis.exports.columns import Column, Kind
from analysis.exports.layout import tidy_name

_LINK: Final = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_TYPES: Final = {Kind.TEXT: "string", Kind.INTEGER: "integer", Kind.NUMBER: "number", Kind.TRUTH: "boolean"}
DICTIONARY_COLUMNS: Final = (
    Column("table", meaning="file in `data/`, without extension"),
    Column("column", meaning="the column's heading"),
    Column(
        "type", meaning="type of the values", values="`string`, `integer`, `number`, `boolean`, `datetime`"
    ),
    Column("meaning", meaning="meaning of the column"),
    Column("unit", meaning="what is counted or measured", values="text; empty without a unit"),
    Column("values", meaning="possible values, and when one is missing"),
    Column("tidy_name", meaning="the column's name in an export with the tidy header"),
)


def line_of(table: str, column: Column) -> list[str]:
    """Return the values of DICTIONARY_COLUMNS."""
    meaning, values = plain(column.meaning), plain(column.values)
    return [table, column.name, _type(column), meaning, column.unit, values, tidy_name(column.name)]


def field_of(column: Column) -> dict[str, Any]:
    """Return the column as a Table Schema field."""
    meaning = plain(column.meaning)
    words = f"{meaning[:1].upper()}{meaning[1:]}. Values: {plain(column.values)}."
    field: dict[str, Any] = {"name": column.name, "type": _type(column), "description": words}
    if column.unit:
        field["unit"] = column.unit
    if column.kind is Kind.TRUTH:
        field |= {"trueValues": ["true"], "falseValues": ["false"]}
    constraints: dict[str, Any] = {"enum": list(column.only)} if column.only else {}
    if column.least is not None and column.kind in (Kind.INTEGER, Kind.NUMBER):
        constraints["minimum"] = column.least
    return field | ({"constraints": constraints} if constraints else {})


def plain(text: str) -> str:
    """Return a Markdown text without links, code and emphasis."""
    return _LINK.sub(r"\1", text).replace("`", "").replace("*", "")


def _type(column: Column) -> str:
    """Return the Table Schema type."""
    return "datetime" if column.moment else _TYPES[column.kind]

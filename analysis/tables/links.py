"""Links from the numbers of a report to the images behind them, as filters of the gallery."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final
from urllib.parse import urlencode

from analysis.tables.table import Heading, Row
from scoring.grid.taxonomy import BODY_PARTS, CELLS, ERROR_TYPES, SEVERITY_TITLES
from scoring.prompts import prompt_key

Filter = tuple[tuple[str, str], ...]
"""Parameters of the gallery."""

# Title of a column of names -> the filter they are values of.
_NAMES: Final = {
    "Generator": "generator",
    "Prompt": "prompt",
    "Prompt group": "prompt_group",
    "Annotator": "annotator",
}
# Columns that name two.
_PAIRS: Final = {"Generators": "generator", "Annotators": "annotator"}
_PARTS_OF_THE_GRID: Final = ("Error type", "Body part", "Cell", "Part of the grid", "Cells")
_BETWEEN: Final = " – "
_CELLS: Final[Mapping[str, Filter]] = {
    **{name: (("type", name),) for name in ERROR_TYPES},
    **{name: (("part", name),) for name in BODY_PARTS},
    **{
        text: (("cell", cell.key),)
        for cell in CELLS
        for text in (cell.title.lower(), cell.key, cell.key.replace(".", " "), cell.key.replace(".", ", "))
    },
}
# Values over all doubly annotated images open those on which annotators differ.
_WHOLE: Final = "all cells"
_AGREEMENT: Final = "Agreement on"
_APART: Final[Filter] = (("disagreement", "1"),)
_SEVERITIES: Final = {title: letter for letter, title in SEVERITY_TITLES.items()}


def filter_of(title: str, text: str) -> Filter:
    """Return the filter for a name in a column with this title; empty if it names nothing in a gallery."""
    if title == _AGREEMENT or text.lower() == _WHOLE:
        return _APART
    if title in _NAMES and text != "(none)":
        return ((_NAMES[title], prompt_key(text) if title == "Prompt" else text),)
    if title in _PAIRS:
        names = text.split(_BETWEEN)
        return tuple((_PAIRS[title], name) for name in names) if len(names) == 2 else ()
    if title in _PARTS_OF_THE_GRID:
        return _CELLS.get(text.lower(), ())
    return severity_of(text) if title == "Severity" else ()


def severity_of(text: str) -> Filter:
    """Return the filter for a severity by its word, such as `Mild`; empty for any other text."""
    letter = _SEVERITIES.get(text.lower())
    return (("severity", letter),) if letter else ()


def query_of(found: Iterable[tuple[str, str]]) -> str:
    """Return a filter as a query string without `?`; empty for none. A type and a part make a cell."""
    pairs = list(found)
    names = dict(pairs)
    if "type" in names and "part" in names:
        cell = ("cell", f"{names['type']}.{names['part']}")
        pairs = [*(pair for pair in pairs if pair[0] not in ("type", "part")), cell]
    return urlencode(pairs)


def linked_rows(headings: Sequence[Heading], rows: Sequence[Row]) -> tuple[Row, ...]:
    """Return the rows with links: the first cell to what the row names, numbers of a column to theirs."""
    return tuple(_linked(headings, row) for row in rows)


def _linked(headings: Sequence[Heading], row: Row) -> Row:
    named = [
        link
        for heading, cell in zip(headings, row, strict=True)
        if not heading.numeric
        for link in filter_of(heading.text, cell.text)
    ]
    if not named:
        return row
    first, *others = row
    made = [replace(first, link=query_of(named))]
    for heading, cell in zip(headings[1:], others, strict=True):
        more = _of_column(heading) if cell.numeric and cell.text != "–" else ()
        made.append(replace(cell, link=query_of([*named, *more])) if more else cell)
    return tuple(made)


def _of_column(heading: Heading) -> Filter:
    """Return the filter of a column of numbers: a severity, or a column of the grid."""
    if heading.severity:
        return (("severity", heading.severity),)
    return severity_of(heading.text) or _CELLS.get(heading.text.lower(), ())

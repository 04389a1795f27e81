"""What figures on pages do and files do not: show only one kind of data, and open the images behind marks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from analysis.figures.figure import Figure, Row
from analysis.tables.links import filter_of, query_of, severity_of

# Figure -> the field to filter by, and the filter's title.
FIELDS: Final = {
    "pair-alphas": ("variable", "Compared"),
}

LINK: Final = "link"
"""The field of a drawn row with its filter of the gallery, read by charts.js."""


@dataclass(frozen=True)
class FigureFilter:
    """A field of the drawn rows and its values to filter by, in row order."""

    field: str
    title: str
    values: tuple[str, ...]


def choice_of(figure: Figure) -> FigureFilter | None:
    """Return the filter of a figure; None with fewer than two values."""
    if figure.slug not in FIELDS:
        return None
    field, title = FIELDS[figure.slug]
    drawn = [row for rows in figure.drawn.values() for row in rows if field in row]
    values = tuple(dict.fromkeys(str(row[field]) for row in drawn))
    return FigureFilter(field, title, values) if len(values) > 1 else None


def linked(figure: Figure) -> Figure:
    """Return the figure with a filter of the gallery in each drawn row that stands for images."""
    titles = {column.key: column.title for column in figure.columns}
    names = _captions(figure)
    drawn = {
        data: [_linked({**row, **_renamed(row, names)}, row, titles) for row in rows]
        for data, rows in figure.drawn.items()
    }
    return replace(figure, drawn=drawn)


def _linked(read: Row, row: Row, titles: Mapping[str, str]) -> Row:
    found = [
        each
        for key, title in titles.items()
        if isinstance(read.get(key), str)
        for each in filter_of(title, read[key])
    ]
    if isinstance(read.get("severity"), str):
        found += severity_of(read["severity"])
    found += _scores(row)
    return {**row, LINK: query_of(found)} if found else row


def _scores(row: Row) -> list[tuple[str, str]]:
    """Return the scores of a bar or a point, which stands for single annotations."""
    if "from" in row and "to" in row:
        low, high = row["from"], row["to"]
    elif row.get("part") == "point":
        low = high = round(row["score"], 2)
    else:
        return []
    return [("score_min", f"{low:g}"), ("score_max", f"{high:g}"), ("of", "annotation")]


def _captions(figure: Figure) -> Mapping[Any, Any]:
    """Return the names behind captions that say more than the name; both are in the same order."""
    names = _names(figure.rows)
    captions = _names([row for rows in figure.drawn.values() for row in rows])
    return dict(zip(captions, names, strict=True)) if len(captions) == len(names) else {}


def _names(rows: Sequence[Row]) -> list[Any]:
    return list(dict.fromkeys(row["name"] for row in rows if "name" in row))


def _renamed(row: Row, names: Mapping[Any, Any]) -> Row:
    return {"name": names[row["name"]]} if row.get("name") in names else {}

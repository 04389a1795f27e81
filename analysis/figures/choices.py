"""Filters for figures on pages: show only one kind of data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from analysis.figures.figure import Figure

# Figure -> the field to filter by, and the filter's title.
FIELDS: Final = {
    "generator-means": ("kind", "Means"),
    "generator-differences": ("kind", "Test"),
    "pair-alphas": ("variable", "Compared"),
}


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

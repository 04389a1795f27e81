"""What can be left out of a figure in the page: one kind of its marks chosen, the others gone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from analysis.figures.figure import Figure

# Figure -> the field of its rows by which to choose, and what the choice is called.
FIELDS: Final = {
    "generator-means": ("kind", "Means"),
    "generator-differences": ("kind", "Test"),
    "pair-alphas": ("variable", "Compared"),
}


@dataclass(frozen=True)
class Choice:
    """A field of the drawn rows and the values it can be narrowed to, in the order of the rows."""

    field: str
    title: str
    values: tuple[str, ...]


def choice_of(figure: Figure) -> Choice | None:
    """What can be chosen in a figure; None where there is nothing, or only one thing."""
    if figure.slug not in FIELDS:
        return None
    field, title = FIELDS[figure.slug]
    drawn = [row for rows in figure.drawn.values() for row in rows if field in row]
    values = tuple(dict.fromkeys(str(row[field]) for row in drawn))
    return Choice(field, title, values) if len(values) > 1 else None

"""The numbers of a figure as a table and as CSV."""

from __future__ import annotations

from analysis.exports.columns import Line, Value, csv_text
from analysis.figures.figure import Figure, FigureColumn
from analysis.tables.table import Heading, Table, TableCell, count, name, probability
from analysis.tables.wording import rounded
from scoring.formula_guard import guarded

PLACES = 2
PROBABILITIES = ("p", "p_holm")


def figure_table(figure: Figure, rows: int) -> Table:
    """Return the first rows of a figure's data, rounded; the CSV has all rows unrounded."""
    return Table(
        slug=f"{figure.slug}-numbers",
        title=f"{figure.title}: the numbers",
        words="",
        headings=tuple(Heading(column.title, numeric=column.numeric) for column in figure.columns),
        rows=tuple(
            tuple(_cell(row.get(column.key), column) for column in figure.columns)
            for row in figure.rows[:rows]
        ),
    )


def figure_csv(figure: Figure) -> str:
    """Return the figure's table unrounded, with empty fields for missing numbers."""
    head: Line = [column.title for column in figure.columns]
    return csv_text(
        [head, *([_field(row.get(column.key)) for column in figure.columns] for row in figure.rows)]
    )


def _cell(value: object, column: FigureColumn) -> TableCell:
    if isinstance(value, bool) or value is None or value == "":
        return TableCell("–", numeric=column.numeric)
    if isinstance(value, int):
        return count(value)
    if isinstance(value, float) and column.key in PROBABILITIES:
        return probability(value)
    if isinstance(value, float):
        return TableCell(rounded(value, PLACES), numeric=True)
    return name(str(value))


def _field(value: Value) -> Value:
    return guarded(value) if isinstance(value, str) else value

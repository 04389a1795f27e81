"""The numbers of a figure as a CSV file."""

from __future__ import annotations

import csv
import io

from analysis.exports.files import LINE_END
from analysis.exports.rows import safe
from analysis.figures.figure import Figure


def figure_csv(figure: Figure) -> str:
    """The figure's table, nothing rounded, an empty field where there is no number."""
    lines: list[list[object]] = [[column.title for column in figure.columns]]
    lines += [[_field(row.get(column.key)) for column in figure.columns] for row in figure.rows]
    buffer = io.StringIO(newline="")
    csv.writer(buffer, lineterminator=LINE_END).writerows(lines)
    return buffer.getvalue()


def _field(value: object) -> object:
    return safe(value) if isinstance(value, str) else value

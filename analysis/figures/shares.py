"""Figures of tables with a column for each severity: a bar for each row, divided by severity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from analysis.figures.figure import Figure, FigureColumn, Row, Spec, TableRead, nothing
from analysis.figures.pieces import (
    SEVERITY_NAMES,
    across,
    down,
    named,
    severity_colour,
    severity_rows,
    short,
    tips,
)
from scoring.grid.taxonomy import SEVERITIES

WIDTH: Final = 480


def shares(figure: Mapping[str, Any], table: TableRead) -> Figure:
    """Return a bar for each label, divided into mild, moderate and severe."""
    slug, title, label = f"{table.name}-shares", figure["title"], figure["label"]
    heading = table.columns[label]["title"]
    sums = {named(row[label]): [row[severity] for severity in SEVERITIES] for row in table.rows}
    if not sums or not any(map(sum, sums.values())):
        return nothing(slug, title, "no errors were marked")
    most = max(sums, key=lambda name: sum(sums[name]))
    return Figure(
        slug=slug,
        title=title,
        note="Error fractions an image, unweighted; the number is the sum of all three severities.",
        description=(
            f"Stacked bars of mild, moderate and severe errors by {heading.lower()}. The longest bar is "
            f"{most} with {short(sum(sums[most]))}."
        ),
        columns=(
            FigureColumn("name", heading, numeric=False),
            *(FigureColumn(name, name.capitalize()) for name in SEVERITY_NAMES),
        ),
        rows=[
            {"name": name, **dict(zip(SEVERITY_NAMES, values, strict=True))} for name, values in sums.items()
        ],
        drawn={"sums": [row for name, values in sums.items() for row in _bar(name, values)]},
        view=_bars(list(sums), heading),
    )


def _bar(name: str, values: Sequence[float]) -> list[Row]:
    total = sum(values)
    return severity_rows({"name": name, "total": total, "label": short(total)}, values)


def _bars(order: Sequence[str], heading: str) -> Spec:
    y = down("name", order, axis={"ticks": False, "domain": False})
    title = "Error fractions an image"
    return {
        "data": {"name": "sums"},
        "width": WIDTH,
        "height": {"step": 40},
        "layer": [
            {
                "mark": {"type": "bar", "height": {"band": 0.8}},
                "encoding": {
                    "y": y,
                    "x": across("sum", title, stack="zero", axis={"grid": True}),
                    "color": severity_colour(),
                    "order": {"field": "rank"},
                    "tooltip": tips(("name", heading), ("severity", "Severity"), ("sum", "Sum")),
                },
            },
            {
                "transform": [{"filter": "datum.rank == 2"}],
                "mark": {"type": "text", "align": "left", "dx": 4, "fontSize": 10},
                "encoding": {"y": y, "x": across("total", title), "text": {"field": "label"}},
            },
        ],
    }

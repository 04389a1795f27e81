"""The ladder: how far two annotators agree on a cell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from analysis.figures.figure import Figure, FigureColumn, Row, Spec, nothing
from analysis.figures.pieces import ALPHA_COLUMNS, across, alpha_numbers, down, panels, tips
from analysis.tables.agreement.ladder import TITLES
from scoring.rounding import percent

RUNGS: Final = {
    "both": "both marked it",
    "same_affected": "… same number affected",
    "same_total": "… out of the same total",
    "same_severity": "… same severity",
}

Result = Mapping[str, Any]


def ladder(result: Result) -> Figure:
    """Return the figure of how far two annotators agree on cells that either marked."""
    slug, title = "ladder", "Where agreement is lost"
    found = result["ladder"]
    entries = [*found["overall"], *found["error_type"], *found["body_part"]]
    rows = [row for entry in entries for row in _ladder_rows(entry)]
    known = [row for row in rows if row["value"] is not None]
    if not known:
        return nothing(slug, title, "no cell is marked in any doubly annotated image")
    whole = [row for row in known if row["name"] == TITLES["all cells"]]
    steps = ", ".join(f"{row['rung'].removeprefix('… ')} {percent(row['value'])}%" for row in whole)
    order = list(dict.fromkeys(row["name"] for row in known))
    return Figure(
        slug=slug,
        title=title,
        note=(
            "Of the cells that either of two annotators marked in an image: the share that both marked, "
            "then also with the same number affected, the same total, and the same severity for each "
            "part; 95% intervals over images."
        ),
        description=f"Falling bars for {len(order)} parts of the grid. All cells: {steps}.",
        columns=(
            FigureColumn("name", "Part of the grid", numeric=False),
            FigureColumn("either", "Marked by either"),
            FigureColumn("rung", "Agreement", numeric=False),
            FigureColumn("count", "Cells"),
            *ALPHA_COLUMNS[:3],
            *ALPHA_COLUMNS[4:],
        ),
        rows=rows,
        drawn={"rungs": known},
        view=_ladder_view(order),
    )


def _ladder_rows(entry: Result) -> list[Row]:
    made = []
    for rung, words in RUNGS.items():
        share = alpha_numbers(entry["shares"][rung])
        value = share["value"]
        made.append(
            {
                "name": TITLES[entry["name"]],
                "either": entry["either"],
                "rung": words,
                "count": entry["counts"][rung],
                **share,
                "reach": value if share["high"] is None else share["high"],
                "text": "" if value is None else f"{percent(value)}%",
            }
        )
    return made


def _ladder_view(order: list[str]) -> Spec:
    x = across(
        "value",
        "Share of marked cells",
        scale={"domain": [0, 1]},
        # Aligned, so that labels of neighbouring panels do not overlap.
        axis={"format": "%", "tickCount": 3, "labelFlush": True},
    )
    y = down("rung", list(RUNGS.values()))
    told = tips(
        ("name", "Part"),
        ("rung", "Agreement"),
        ("value", "Share"),
        ("low", "Low"),
        ("high", "High"),
        ("count", "Cells"),
    )
    return {
        "data": {"name": "rungs"},
        "facet": panels("name", order, {"labelAnchor": "start", "labelFontWeight": "bold"}),
        "columns": 3,
        "spacing": {"row": 16, "column": 20},
        "spec": {
            "width": 170,
            "height": {"step": 21},
            "layer": [
                {
                    "mark": {"type": "bar", "height": {"band": 0.75}},
                    "encoding": {"x": x, "y": y, "tooltip": told},
                },
                {
                    "mark": {"type": "rule", "strokeWidth": 1.2},
                    "encoding": {"x": {**x, "field": "low"}, "x2": {"field": "high"}, "y": y},
                },
                {
                    "mark": {"type": "text", "align": "left", "dx": 5},
                    "encoding": {"x": {**x, "field": "reach"}, "y": y, "text": {"field": "text"}},
                },
            ],
        },
    }

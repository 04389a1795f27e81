"""Control charts of annotators: differences, their average and its limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from analysis.figures.figure import Figure, FigureColumn, Row, nothing
from analysis.figures.pieces import panels, tips

PEOPLE: Final = 40

_COLUMNS: Final = (
    FigureColumn("name", "Annotator", numeric=False),
    FigureColumn("anchor", "Anchor"),
    FigureColumn("value", "Difference"),
    FigureColumn("average", "Average"),
    FigureColumn("limit", "Limit"),
)


def control(slug: str, figure: Mapping[str, Any], read: Sequence[Row]) -> Figure:
    """Return a panel for each annotator, the first `PEOPLE`, from the rows of the table."""
    rows = [
        {
            "name": row["annotator"],
            "anchor": row["anchor"],
            "value": row[figure["value"]],
            "average": row["average"],
            "limit": row["limit"],
        }
        for row in read
    ]
    names = list(dict.fromkeys(row["name"] for row in rows))
    if not names:
        return nothing(slug, figure["title"], "there are no anchors")
    shown = set(names[:PEOPLE])
    drawn = [
        {**row, "below": None if row["limit"] is None else -row["limit"]}
        for row in rows
        if row["name"] in shown
    ]
    out = [name for name in names if _is_out([row for row in rows if row["name"] == name])]
    left = f" The first {PEOPLE} of {len(names)} annotators." if len(names) > PEOPLE else ""
    return Figure(
        slug=slug,
        title=figure["title"],
        note=(
            "Points: single anchors. Line: their exponentially weighted moving average. Band: its limits."
            f"{left}"
        ),
        description=(
            f"Control charts of {len(names)} annotators. The average is now beyond its limit for "
            f"{', '.join(out) or 'nobody'}."
        ),
        columns=_COLUMNS,
        rows=rows,
        drawn={"anchors": drawn},
        view=_view(),
    )


def _is_out(rows: Sequence[Row]) -> bool:
    last = rows[-1]
    return last["limit"] is not None and abs(last["average"]) > last["limit"]


def _view() -> dict[str, Any]:
    x = {"field": "anchor", "type": "quantitative", "title": "Anchor", "axis": {"tickMinStep": 1}}
    y = {"field": "value", "type": "quantitative", "title": None}
    told = tips(("name", "Annotator"), ("anchor", "Anchor"), ("value", "Difference"), ("average", "Average"))
    return {
        "data": {"name": "anchors"},
        "facet": panels("name", header={"labelAnchor": "start"}),
        "columns": 3,
        "spec": {
            "width": 190,
            "height": 120,
            "layer": [
                {
                    "mark": {"type": "area", "opacity": 0.25},
                    "encoding": {"x": x, "y": {**y, "field": "limit"}, "y2": {"field": "below"}},
                },
                {"mark": {"type": "point"}, "encoding": {"x": x, "y": y, "tooltip": told}},
                {"mark": {"type": "line"}, "encoding": {"x": x, "y": {**y, "field": "average"}}},
            ],
        },
    }

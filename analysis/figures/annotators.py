"""Figures of annotators: leniency and its change over time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from analysis.figures.figure import Figure, FigureColumn, Row, nothing
from analysis.figures.pieces import (
    SEVERITY_NAMES,
    across,
    down,
    interval_columns,
    interval_of,
    intervals,
    panels,
    reference,
    severity_colour,
    severity_rows,
    short,
    tips,
)
from scoring.grid.taxonomy import SEVERITIES, SEVERITY_TITLES

PEOPLE: Final = 40
THIRDS: Final = ("first third", "middle third", "last third")

Result = Mapping[str, Any]


def leniency(result: Result) -> Figure:
    """Return the figure of each annotator's level, difference from others and severity mix."""
    slug, title = "leniency", "Leniency of annotators"
    entries = [e for e in result["annotators"] if e["level"]["value"] is not None][:PEOPLE]
    if not entries:
        return nothing(slug, title, "no annotator has a mean score")
    rows = [_person(entry) for entry in entries]
    order = [row["name"] for row in sorted(rows, key=lambda row: -row["value"])]
    mix = [row for entry in entries for row in _mix(entry)]
    against = [row for row in rows if row["against"] is not None]
    views = [_forest("people", "value", "low", "high", "Mean score per image", order)]
    if against:
        views.append(
            _forest(
                "against",
                "against",
                "against_low",
                "against_high",
                "Score minus others', same images",
                order,
                bare=True,
            )
        )
    views.append(_mix_panel(order, bare=True))
    strict, lenient = order[0], order[-1]
    return Figure(
        slug=slug,
        title=title,
        note=(
            "Left: mean cumulative score. Middle: difference from other annotators of the same images; right "
            "of zero is stricter. Right: how the annotator's marks divide into severities. 95% intervals "
            "over images."
        ),
        description=(f"Levels of {len(rows)} annotators. Highest mean score: {strict}; lowest: {lenient}."),
        columns=(
            FigureColumn("name", "Annotator", numeric=False),
            FigureColumn("images", "Images"),
            *interval_columns("Mean score"),
            FigureColumn("against", "Against others"),
            FigureColumn("against_low", "Low"),
            FigureColumn("against_high", "High"),
            *(FigureColumn(name, name.capitalize()) for name in SEVERITY_NAMES),
        ),
        rows=rows,
        drawn={"people": rows, "against": against, "mix": mix, "zero": [{"value": 0}]},
        view={"hconcat": views, "spacing": 24, "resolve": {"legend": {"color": "independent"}}},
    )


def _person(entry: Result) -> Row:
    level, against, mix = entry["level"], entry["against_others"], entry["severity_mix"]
    return {
        "name": entry["annotator"],
        "images": entry["images"],
        **interval_of(level),
        "against": against["value"],
        "against_low": against["low"],
        "against_high": against["high"],
        **{name: mix[key]["value"] for key, name in SEVERITY_TITLES.items()},
    }


def _mix(entry: Result) -> list[Row]:
    shares = [entry["severity_mix"][severity]["value"] for severity in SEVERITIES]
    return [] if None in shares else severity_rows({"name": entry["annotator"]}, shares)


def _forest(
    data: str, value: str, low: str, high: str, title: str, order: list[str], *, bare: bool = False
) -> dict[str, Any]:
    y = down("name", order, **({"axis": None} if bare else {}))
    told = tips(("name", "Annotator"), ("images", "Images"), (value, title), (low, "Low"), (high, "High"))
    x = across(value, title, axis={"tickCount": 4})
    rule, point = intervals(x, y, tooltip=told)
    rule["encoding"]["x"]["field"] = low
    rule["encoding"]["x2"]["field"] = high
    zero = [reference("zero", across("value", title))] if bare else []
    return {
        "width": 210,
        "height": {"step": 28},
        "data": {"name": data},
        "layer": [*zero, rule, point],
    }


def _mix_panel(order: list[str], *, bare: bool) -> dict[str, Any]:
    return {
        "width": 190,
        "height": {"step": 28},
        "data": {"name": "mix"},
        "mark": {"type": "bar", "height": {"band": 0.65}},
        "encoding": {
            "y": down("name", order, **({"axis": None} if bare else {})),
            "x": across(
                "sum",
                "Share of marks",
                stack="zero",
                scale={"domain": [0, 1]},
                axis={"format": "%", "tickCount": 4},
            ),
            "color": severity_colour(None),
            "order": {"field": "rank"},
            "tooltip": tips(("name", "Annotator"), ("severity", "Severity"), ("sum", "Share")),
        },
    }


def drift(result: Result) -> Figure:
    """Return the figure of each annotator's mean score in the first, middle and last third."""
    slug, title = "drift", "Drift of annotators"
    known = [e for e in result["annotators"] if e["drift"]["refused"] is None]
    if not known:
        reasons = [e["drift"]["refused"] for e in result["annotators"]]
        return nothing(slug, title, reasons[0] if reasons else "no annotators")
    rows = [row for entry in known[:PEOPLE] for row in _thirds(entry)]
    moved = [e["annotator"] for e in known if _excludes_zero(e["drift"]["slope"])]
    x = {
        "field": "third",
        "type": "ordinal",
        "sort": list(THIRDS),
        "title": None,
        "axis": {"labelAngle": 0, "labelExpr": "split(datum.label, ' ')[0]"},
    }
    y = {"field": "value", "type": "quantitative", "title": "Mean score"}
    told = tips(
        ("name", "Annotator"),
        ("third", "Annotations"),
        ("value", "Mean"),
        ("low", "Low"),
        ("high", "High"),
    )
    return Figure(
        slug=slug,
        title=title,
        note=(
            "Mean cumulative score of the first, middle and last third of each annotator's annotations, with "
            "95% intervals."
        ),
        description=(
            f"Three means for each of {len(known)} annotators. The interval of the slope excludes zero for "
            f"{', '.join(moved) or 'no annotator'}."
        ),
        columns=(
            FigureColumn("name", "Annotator", numeric=False),
            FigureColumn("third", "Annotations", numeric=False),
            *interval_columns("Mean score"),
            FigureColumn("slope", "Slope per 10 images"),
        ),
        rows=rows,
        drawn={"thirds": rows},
        view={
            "data": {"name": "thirds"},
            "facet": panels("caption", header={"labelAnchor": "start"}),
            "columns": 4,
            "spec": {
                "width": 130,
                "height": 130,
                "layer": [
                    {"mark": {"type": "line"}, "encoding": {"x": x, "y": y}},
                    {
                        "mark": {"type": "rule", "strokeWidth": 1.5},
                        "encoding": {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}},
                    },
                    {"mark": {"type": "point"}, "encoding": {"x": x, "y": y, "tooltip": told}},
                ],
            },
        },
    )


def _thirds(entry: Result) -> list[Row]:
    slope = (entry["drift"]["slope"] or {}).get("value")
    caption = entry["annotator"] + ("" if slope is None else f" ({short(slope)} per 10 images)")
    return [
        {
            "name": entry["annotator"],
            "caption": caption,
            "third": name,
            **interval_of(third),
            "slope": slope,
        }
        for name, third in zip(THIRDS, entry["drift"]["thirds"], strict=True)
    ]


def _excludes_zero(slope: Mapping[str, Any] | None) -> bool:
    if not slope or slope["low"] is None:
        return False
    return bool(slope["low"] > 0 or slope["high"] < 0)

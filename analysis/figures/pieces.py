"""Vega-Lite parts that several figures share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from analysis.figures.figure import Row, Spec
from analysis.tables.wording import MINUS
from analysis.tables.wording import named as named
from scoring.grid.taxonomy import SEVERITIES, SEVERITY_TITLES

SEVERITY_NAMES: Final = tuple(SEVERITY_TITLES[severity] for severity in SEVERITIES)
BESIDE: Final = {"labelAngle": 0, "labelAlign": "left", "labelAnchor": "middle"}


def across(field: str, title: str | None, **more: Any) -> Spec:
    """Return a quantitative x encoding."""
    return {"field": field, "type": "quantitative", "title": title, **more}


def down(field: str, order: Sequence[str], **more: Any) -> Spec:
    """Return a nominal y encoding in this order, without a title."""
    return {"field": field, "type": "nominal", "sort": list(order), "title": None, **more}


def severity_colour() -> Spec:
    """Return a colour encoding of three severities by lightness."""
    return {
        "field": "severity",
        "type": "ordinal",
        "title": "Severity",
        "scale": {"domain": list(SEVERITY_NAMES)},
        "legend": {"orient": "top", "direction": "horizontal", "symbolType": "square", "symbolSize": 160},
    }


def panels(field: str, order: Sequence[str] | None = None, header: Spec = BESIDE) -> Spec:
    """Return a labelled facet for each value, in this order or that of the rows."""
    sort = {} if order is None else {"sort": list(order)}
    return {"field": field, "type": "nominal", **sort, "title": None, "header": header}


def tips(*fields: tuple[str, str]) -> list[Spec]:
    """Return a tooltip of fields with titles, numbers with two places."""
    return [{"field": field, "title": title, **_format(field)} for field, title in fields]


def _format(field: str) -> Spec:
    plain = {"value", "low", "high", "sum", "share", "score", "mean", "median"}
    return {"type": "quantitative", "format": ",.2f"} if field in plain else {}


def severity_rows(about: Mapping[str, Any], sums: Sequence[float]) -> list[Row]:
    """Return one row per severity, mild first; `rank` is the stacking order."""
    return [
        {**about, "severity": name, "rank": rank, "sum": value}
        for rank, (name, value) in enumerate(zip(SEVERITY_NAMES, sums, strict=True))
    ]


def short(value: float) -> str:
    """Return a number rounded to two places for a label in a figure."""
    text = f"{value:,.2f}"
    return text.replace("-", MINUS) if text.strip("-0.,") else text.lstrip("-")


def intervals(x: Spec, y: Spec, **more: Any) -> list[Spec]:
    """Return a rule from low to high and a point at the value, with a tooltip."""
    low = {**x, "field": "low"}
    return [
        {
            "mark": {"type": "rule", "strokeWidth": 1.5, "clip": True},
            "encoding": {"x": low, "x2": {"field": "high"}, "y": y},
        },
        {"mark": {"type": "point"}, "encoding": {"x": x, "y": y, **more}},
    ]


def estimate_numbers(estimate: Mapping[str, Any]) -> Row:
    """Return the numbers of an estimate, and why it was refused."""
    ends = {end: estimate[end] for end in ("value", "low", "high")}
    return {**ends, "images": estimate["n_units"], "refused": estimate["refused"]}

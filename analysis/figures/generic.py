"""Figures of results, for any protocol and kind of report."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from analysis.figures.figure import Figure, FigureColumn, Row, Spec, TableRead, nothing
from analysis.figures.maps.body import body_map
from analysis.figures.pieces import (
    SEVERITY_NAMES,
    across,
    down,
    estimate_numbers,
    intervals,
    named,
    panels,
    severity_colour,
    severity_rows,
    short,
    tips,
)
from analysis.stats.generic.tables import slug_of
from analysis.tables.generic import text_of
from scoring.grid.taxonomy import SEVERITIES

Result = Mapping[str, Any]

LINES: Final = 20
"""At most this many lines are drawn; the table lists all."""
ESTIMATE_COLUMNS: Final = (
    *(FigureColumn(title.lower(), title) for title in ("Value", "Low", "High", "Images")),
    FigureColumn("refused", "Refused", numeric=False),
)


@dataclass(frozen=True)
class NamedFigure:
    """A figure by name and title; `make` builds it, which costs more than most pages need."""

    slug: str
    title: str
    make: Callable[[], Figure]


def named_figures(result: Result) -> list[NamedFigure]:
    """Return the figures that a result names, in order."""
    tables = {table["name"]: table for table in result["tables"]}

    def make(figure: Mapping[str, Any]) -> Figure:
        return BUILDERS[figure["kind"]](figure, TableRead(tables[figure["table"]], result))

    return [NamedFigure(slug_of(drawn), drawn["title"], partial(make, drawn)) for drawn in result["figures"]]


def figures(result: Result) -> list[Figure]:
    """Return the figures that a result names, in order."""
    return [named.make() for named in named_figures(result)]


def figure(result: Result, slug: str) -> Figure | None:
    """Return the figure of this name, or None."""
    return next((named.make() for named in named_figures(result) if named.slug == slug), None)


def _intervals(figure: Mapping[str, Any], table: TableRead) -> Figure:
    """Return a point with interval on every line, and a panel for each measure if there are several."""
    slug, title = slug_of(figure), figure["title"]
    label, value = figure["label"], figure["value"]
    panel = "variable" if "variable" in table.columns and label != "variable" else ""
    rows = [
        {
            "name": _named(row, label, figure.get("against", "")),
            "panel": row[panel] if panel else "",
            **estimate_numbers(row[value]),
        }
        for row in table.rows
    ]
    known = [row for row in rows if row["value"] is not None]
    if not known:
        return nothing(slug, title, rows[0]["refused"] if rows else "there is nothing to compare")
    names = list(dict.fromkeys(row["name"] for row in known))
    shown = set(names[:LINES])
    drawn = [row for row in known if row["name"] in shown]
    left = f" The first {LINES} of {len(names)}." if len(names) > LINES else ""
    highest, lowest = (pick(known, key=lambda row: row["value"]) for pick in (max, min))
    words = table.columns[value].get("title", "Value")
    heading = "Generators" if "against" in figure else table.columns[label]["title"]
    return Figure(
        slug=slug,
        title=title,
        note=f"{figure.get('note', f'{words} with 95% intervals over images.')}{left}",
        description=(
            f"{words} of {len(names)} lines with intervals. Highest: {highest['name']} "
            f"({short(highest['value'])}); lowest: {lowest['name']} ({short(lowest['value'])})."
        ),
        columns=(
            *((FigureColumn("panel", table.columns[panel]["title"], numeric=False),) if panel else ()),
            FigureColumn("name", heading, numeric=False),
            *ESTIMATE_COLUMNS,
        ),
        rows=rows,
        drawn={"estimates": drawn},
        view=_interval_view(words, [name for name in names if name in shown], drawn, bool(panel)),
    )


def _named(row: Row, label: str, against: str) -> str:
    """Return the name of a line, or of a pair."""
    name = named(text_of(row[label]))
    return f"{name} – {named(row[against])}" if against else name


def _interval_view(words: str, order: list[str], drawn: list[Row], several: bool) -> Spec:
    ends = [end for row in drawn for end in (row["value"], row["low"], row["high"]) if end is not None]
    domain = [min(0, math.floor(10 * min(ends)) / 10), max(1, math.ceil(max(ends)))]
    told = tips(("name", ""), ("value", words), ("low", "Low"), ("high", "High"), ("images", "Images"))
    x = across("value", words, scale={"domain": domain})
    layers = {"layer": intervals(x, down("name", order), tooltip=told)}
    size = {"width": 420, "height": {"step": 24}}
    if not several:
        return {"data": {"name": "estimates"}, **size, **layers}
    return {
        "data": {"name": "estimates"},
        "facet": {"row": panels("panel", list(dict.fromkeys(row["panel"] for row in drawn)))},
        "spacing": 14,
        "spec": {**size, **layers},
    }


def _heat(figure: Mapping[str, Any], table: TableRead) -> Figure:
    """Return a map of numbers: a line for each label, a column for each numeric column."""
    slug, title, label = slug_of(figure), figure["title"], figure["label"]
    places = [column for column in table.columns.values() if column["kind"] in ("number", "estimate")]
    rows = [
        {"name": row[label], "place": named(column["title"]), "value": _plain(row[column["name"]])}
        for row in table.rows
        for column in places
    ]
    known = [row for row in rows if row["value"] is not None]
    if not known:
        return nothing(slug, title, "there is nothing to compare")
    highest = max(known, key=lambda row: row["value"])
    told = tips(("name", ""), ("place", ""), ("value", "Value"))
    position = {
        "y": down("name", list(dict.fromkeys(row["name"] for row in rows))),
        "x": {"field": "place", "type": "nominal", "sort": None, "title": None, "axis": {"labelAngle": 0}},
    }
    colour = {
        "field": "value",
        "type": "quantitative",
        "title": None,
        "scale": {"domainMin": 0, "clamp": True},
    }
    return Figure(
        slug=slug,
        title=title,
        note=figure.get("note", ""),
        description=(
            f"A map of {len(known)} values. Highest: {highest['name']}, {highest['place']} "
            f"({short(highest['value'])})."
        ),
        columns=(
            FigureColumn("name", table.columns[label]["title"], numeric=False),
            FigureColumn("place", figure.get("columns", "Column"), numeric=False),
            FigureColumn("value", "Value"),
        ),
        rows=rows,
        drawn={"values": known},
        view={
            "data": {"name": "values"},
            "width": {"step": 90},
            "height": {"step": 20},
            "mark": {"type": "rect", "tooltip": True},
            "encoding": {**position, "color": colour, "tooltip": told},
        },
    )


def _plain(value: Any) -> float | None:
    """Return a number, also of an estimate."""
    number: float | None = value["value"] if isinstance(value, Mapping) else value
    return number


def _histogram(figure: Mapping[str, Any], table: TableRead) -> Figure:
    """Return bars from one value to the next, as high as their number, in a panel for each generator."""
    slug, title = f"{table.name}-histogram", figure["title"]
    low, high = figure["low"], figure["high"]
    own = {name: column["title"] for name, column in table.columns.items() if name.startswith("generator ")}
    counted = own or {"images": table.columns["images"]["title"]}
    rows = [
        {"panel": named(words), "from": row[low], "to": row[high], "count": row[name]}
        for name, words in counted.items()
        for row in table.rows
    ]
    if not rows:
        return nothing(slug, title, "there is nothing to count")
    tallest = max(rows, key=lambda row: row["count"])
    ends = [min(row["from"] for row in rows), max(row["to"] for row in rows)]
    told = tips(("panel", ""), ("from", "From"), ("to", "To"), ("count", "Images"))
    return Figure(
        slug=slug,
        title=title,
        note=f"Images by {figure['of'].lower()}.",
        description=(
            f"{len(counted)} histograms from {short(ends[0])} to {short(ends[1])}. The tallest bar, "
            f"{tallest['count']:,} images of {tallest['panel']}, is between {short(tallest['from'])} and "
            f"{short(tallest['to'])}."
        ),
        columns=(
            FigureColumn("panel", "Generator", numeric=False),
            FigureColumn("from", "From"),
            FigureColumn("to", "To, not included"),
            FigureColumn("count", "Images"),
        ),
        rows=rows,
        drawn={"bins": rows},
        view={
            "data": {"name": "bins"},
            "facet": {"row": panels("panel", list(counted.values()))},
            "spacing": 10,
            "spec": {
                "width": 420,
                "height": 70,
                "mark": {"type": "bar", "binSpacing": 1, "tooltip": True},
                "encoding": {
                    "x": across(
                        "from",
                        figure["of"],
                        bin={"binned": True},
                        axis={"grid": False},
                        scale={"domain": ends},
                    ),
                    "x2": {"field": "to"},
                    "y": {
                        "field": "count",
                        "type": "quantitative",
                        "title": "Images",
                        "axis": {"tickCount": 3},
                    },
                    "tooltip": told,
                },
            },
        },
    )


def _shares(figure: Mapping[str, Any], table: TableRead) -> Figure:
    """Return a bar for each label, divided into mild, moderate and severe."""
    slug, title, label = slug_of(figure), figure["title"], figure["label"]
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
        drawn={"sums": [row for name, values in sums.items() for row in _severity_bar(name, values)]},
        view=_severity_bars(list(sums), heading),
    )


def _severity_bar(name: str, values: Sequence[float]) -> list[Row]:
    total = sum(values)
    return severity_rows({"name": name, "total": total, "label": short(total)}, values)


def _severity_bars(order: Sequence[str], heading: str) -> Spec:
    y = down("name", order, axis={"ticks": False, "domain": False})
    title = "Error fractions an image"
    return {
        "data": {"name": "sums"},
        "width": 480,
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


BUILDERS: Final[Mapping[str, Callable[[Mapping[str, Any], TableRead], Figure]]] = {
    "intervals": _intervals,
    "heat": _heat,
    "histogram": _histogram,
    "shares": _shares,
    "body_map": body_map,
}

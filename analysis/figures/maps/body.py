"""The body map: a drawn body for each generator, shaded by where its errors lie."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from analysis.figures.figure import Figure, FigureColumn, Row, Spec, TableRead, nothing
from analysis.figures.maps.shapes import HEIGHT, OUTLINES, symbol
from analysis.figures.pieces import named, panels, short, tips
from analysis.tables.comparison.body_map import FEWEST, Amount, BodyMap, body_maps, shade, thresholds
from analysis.tables.comparison.body_words import heading, legend
from scoring.grid.taxonomy import BODY_PART_TITLES, BODY_PARTS, ERROR_TYPE_TITLES, ERROR_TYPES

SLUG: Final = "cells-map"
TITLE: Final = "Where the errors lie on the body"
ALL: Final = "All errors"
# At most this many generators are drawn; the table lists all.
GENERATORS: Final = 12
# Drawn height in pixels of a body, and how far its box and the labels beside it reach.
TALL: Final = 150
REACH: Final = 175
LABELS: Final = {"torso": 95, "limbs": 190, "feet": 240, "hands": 137, "face": 27}
TOO_FEW: Final = f"– (fewer than {FEWEST})"


def body_map(_: Mapping[str, Any], table: TableRead) -> Figure:
    """Return the figure of each generator's weighted errors by body part, in all and by error type."""
    maps = body_maps(table.result)
    if not any(generator.total.value for generator in maps):
        return nothing(SLUG, TITLE, "no errors were marked")
    steps = thresholds(maps)
    shades = [TOO_FEW, *legend(steps)]
    rows = [row for generator in maps for row in _rows(generator)]
    shown = sorted(maps, key=lambda generator: -generator.annotations)[:GENERATORS]
    order = [named(generator.generator) for generator in maps if generator in shown]
    drawn = [_drawn(row, steps, shades) for row in rows if row["generator"] in order]
    left = f" The {GENERATORS} of {len(maps)} generators with the most annotations; the table has all."
    return Figure(
        slug=SLUG,
        title=TITLE,
        note=(
            "Weighted error per annotation: the weighted error fractions of the cells of each body part, "
            "summed and divided by the generator's annotations. White with a dash: marked in fewer than "
            f"{FEWEST} annotations. The same scale in every figure.{left if len(maps) > GENERATORS else ''}"
        ),
        description=f"{heading(maps, 'abc')}. {_description(maps)}.",
        columns=(
            FigureColumn("generator", "Generator", numeric=False),
            FigureColumn("error_type", "Error type", numeric=False),
            FigureColumn("body_part", "Body part", numeric=False),
            FigureColumn("value", "Weighted error per annotation"),
            FigureColumn("share", "Share of the generator's score"),
            FigureColumn("marked", "Annotations that mark it"),
        ),
        rows=rows,
        drawn={"parts": drawn},
        view=_view(order, shades),
    )


def _description(maps: Sequence[BodyMap]) -> str:
    return "; ".join(
        f"{named(generator.generator)}: "
        + ", ".join(f"{name} {short(amount.value)}" for name, amount in generator.parts.items())
        for generator in maps[:GENERATORS]
    )


def _rows(each: BodyMap) -> list[Row]:
    """Return a row for each body part of all errors, then of each error type."""
    amounts = [(ALL, part, each.parts[part]) for part in BODY_PARTS]
    amounts += [
        (ERROR_TYPE_TITLES[kind], part, each.cells[f"{kind}.{part}"])
        for kind in ERROR_TYPES
        for part in BODY_PARTS
    ]
    return [
        {"generator": named(each.generator), "error_type": kind, "part": part, **_numbers(part, amount)}
        for kind, part, amount in amounts
    ]


def _numbers(part: str, amount: Amount) -> Row:
    return {
        "body_part": BODY_PART_TITLES[part],
        "value": float(amount.value),
        "share": float(amount.share),
        "marked": amount.marked,
    }


def _drawn(row: Row, steps: Sequence[float], shades: Sequence[str]) -> Row:
    enough = row["marked"] >= FEWEST
    return {
        **row,
        "x": 60,
        "y": HEIGHT / 2,
        "shade": shades[1 + shade(row["value"], steps)] if enough else shades[0],
        "label": short(row["value"]) if enough else "–",
        "beside": LABELS[row["part"]],
        "right": 124,
    }


def _view(order: Sequence[str], shades: Sequence[str]) -> Spec:
    kinds = [ALL, *(ERROR_TYPE_TITLES[kind] for kind in ERROR_TYPES)]
    told = tips(
        ("generator", "Generator"),
        ("error_type", "Error type"),
        ("body_part", "Body part"),
        ("value", "Per annotation"),
        ("marked", "Marked in"),
    )
    fill = {
        "field": "shade",
        "type": "ordinal",
        "title": "Weighted error per annotation",
        # The theme's `diverging` colours are those of amounts; no other figure uses them.
        "scale": {"domain": list(shades), "range": "diverging"},
        "legend": {"orient": "top", "direction": "horizontal", "symbolType": "square", "symbolSize": 160},
    }
    parts = [
        {
            "transform": [{"filter": {"field": "part", "equal": part}}],
            "mark": {
                "type": "point",
                "size": TALL**2,
                "shape": symbol(part),
                "style": "body",
            },
            "encoding": {"x": _place("x", REACH), "y": _place("y", HEIGHT), "fill": fill, "tooltip": told},
        }
        # Painted in this order.
        for part in OUTLINES
    ]
    labels = {
        "mark": {"type": "text", "align": "left", "baseline": "middle", "fontSize": 10},
        "encoding": {
            "x": _place("right", REACH),
            "y": _place("beside", HEIGHT),
            "text": {"field": "label"},
        },
    }
    return {
        "data": {"name": "parts"},
        "facet": {
            "row": panels("generator", order),
            "column": panels("error_type", kinds, {"labelAnchor": "middle"}),
        },
        "spacing": {"row": 10, "column": 4},
        "spec": {"width": TALL * REACH / HEIGHT, "height": TALL, "layer": [*parts, labels]},
    }


def _place(field: str, reach: float) -> Spec:
    """Return a position in the box of the drawn body, from the top left corner."""
    scale = {"domain": [0, reach], "zero": False, "nice": False, "reverse": reach == HEIGHT}
    return {"field": field, "type": "quantitative", "scale": scale, "axis": None}

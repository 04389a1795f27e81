"""Alphas over the grid of body parts and error types, laid out as on the annotation page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analysis.figures.figure import Figure, FigureColumn, Row, Spec, nothing
from analysis.figures.pieces import ALPHA_COLUMNS, alpha_numbers, short, tile_axes, tile_texts, tips
from scoring.grid.taxonomy import BODY_PART_TITLES, BODY_PARTS, ERROR_TYPE_TITLES, ERROR_TYPES

Result = Mapping[str, Any]


def grid(result: Result) -> Figure:
    """Return the map of the 25 cells' alphas."""
    slug, title = "cell-alphas", "Agreement on each cell"
    found = {entry["name"]: _cell_row(entry) for entry in result["by"]["cell"]}
    rows = [found[f"{kind}.{part}"] for part in BODY_PARTS for kind in ERROR_TYPES]
    known = [row for row in found.values() if row["value"] is not None]
    if not known:
        return nothing(slug, title, rows[0]["refused"] or "no cell has a value")
    best, worst = (pick(known, key=lambda row: row["value"]) for pick in (max, min))
    return Figure(
        slug=slug,
        title=title,
        note=(
            "Krippendorff's alpha for whether a cell is marked, over doubly annotated images; below it, "
            "the number of annotations that mark the cell. A dash means that there is no value; the table "
            "gives the reason."
        ),
        description=(
            f"A map of alphas of {len(known)} of 25 cells. Highest: {_cell_name(best)} "
            f"({short(best['value'])}); lowest: {_cell_name(worst)} ({short(worst['value'])})."
        ),
        columns=(
            FigureColumn("body_part", "Body part", numeric=False),
            FigureColumn("error_type", "Error type", numeric=False),
            FigureColumn("marked", "Marked in"),
            *ALPHA_COLUMNS,
        ),
        rows=rows,
        drawn={"cells": rows},
        view=_grid_view(),
    )


def _cell_name(row: Row) -> str:
    return f"{row['error_type'].lower()} {row['body_part'].lower()}"


def _cell_row(entry: Result) -> Row:
    error_type, body_part = entry["name"].split(".")
    alpha = alpha_numbers(entry["cells"])
    value = alpha["value"]
    return {
        "error_type": ERROR_TYPE_TITLES[error_type],
        "body_part": BODY_PART_TITLES[body_part],
        "marked": entry["marked"],
        **alpha,
        "text": "–" if value is None else short(value),
        "beneath": f"{entry['marked']}×",
        "much": value is not None and value > 0.55,
    }


def _grid_view() -> Spec:
    x, y = tile_axes(
        "error_type",
        [ERROR_TYPE_TITLES[name] for name in ERROR_TYPES],
        "body_part",
        [BODY_PART_TITLES[name] for name in BODY_PARTS],
    )
    told = tips(
        ("body_part", "Body part"),
        ("error_type", "Error type"),
        ("value", "Alpha"),
        ("low", "Low"),
        ("high", "High"),
        ("marked", "Marked in"),
    )
    styles = {"on-little": "datum.much == false", "on-much": "datum.much == true"}
    texts = tile_texts(x, y, styles, ("text", 15, -5), ("beneath", 10, 13))
    return {
        "width": {"step": 88},
        "height": {"step": 56},
        "data": {"name": "cells"},
        "layer": [
            {
                "transform": [{"filter": "isValid(datum.value)"}],
                "mark": {"type": "rect"},
                "encoding": {
                    "x": x,
                    "y": y,
                    "color": {
                        "field": "value",
                        "type": "quantitative",
                        "title": "Alpha",
                        "scale": {"domain": [0, 1], "clamp": True},
                        "legend": {"gradientLength": 200},
                    },
                    "tooltip": told,
                },
            },
            *texts,
        ],
    }

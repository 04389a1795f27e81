"""Alphas by pair of annotators, with the pooled value and the mean."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from analysis.figures.figure import Figure, FigureColumn, Row, Spec, nothing
from analysis.figures.pieces import (
    ALPHA_COLUMNS,
    CAUTION,
    across,
    alpha_numbers,
    down,
    intervals,
    panels,
    reference,
    short,
    tips,
)
from analysis.stats.estimates import TOO_LOW
from analysis.tables.agreement.agreement import ENOUGH, VARIABLES
from analysis.tables.table import RowsOnDemand
from analysis.tables.wording import counted

PAIRS: Final = 15
POOLED, MEAN = "all annotators, pooled", "mean of the pairs"
# A fixed upper end makes figures comparable.
LOWEST: Final = -0.6
CUSTOMARY: Final = (0.667, 0.8)

Result = Mapping[str, Any]


def by_pair(result: Result) -> Figure:
    """Return the figure of each variable's alpha by pair, with the pooled value and the mean."""
    slug, title = "pair-alphas", "Agreement by pair of annotators"
    if not result["pairs"]:
        return nothing(slug, title, "no two annotators share an image", "3D")
    pairs = sorted(result["pairs"], key=lambda pair: -pair["images"])
    row_of = partial(_row, result)
    drawn = [row for row in map(row_of, _entries(result, pairs[:PAIRS])) if row["value"] is not None]
    if not drawn:
        return nothing(slug, title, "no pair shares enough images", "3D")
    order = [POOLED, MEAN, *sorted(map(_pair_name, pairs[:PAIRS]))]
    left = "" if len(pairs) <= PAIRS else f" The {PAIRS} pairs with the most images, of {len(pairs)}."
    if cautioned := sum(any("caution" in pair[name] for name in VARIABLES if name in pair) for pair in pairs):
        left += f" Bands of {counted(cautioned, 'pair')} are cut from fewer than {ENOUGH} scores: {TOO_LOW}."
    pooled = alpha_numbers(result["pooled"]["cumulative_score"])["value"]
    return Figure(
        slug=slug,
        label="3D",
        title=title,
        note=(
            "Krippendorff's alpha with 95% intervals over images. Dashed: 0.667 and 0.800, the customary "
            f"bounds for tentative and for reliable conclusions.{left}"
        ),
        description=(
            f"Alphas of {len(pairs)} pair{'' if len(pairs) == 1 else 's'} of annotators. Pooled alpha of "
            f"the cumulative score: {'none' if pooled is None else short(pooled)}."
        ),
        columns=(
            FigureColumn("variable", "Compared", numeric=False),
            FigureColumn("name", "Annotators", numeric=False),
            *ALPHA_COLUMNS,
            CAUTION,
        ),
        rows=RowsOnDemand(_entries(result, pairs), row_of),
        drawn={"alphas": drawn, "bounds": [{"value": value} for value in CUSTOMARY]},
        view=_pair_view(
            order,
            [VARIABLES[name][0] for name in VARIABLES if name in result["pooled"]],
            _lowest(drawn),
        ),
    )


def _lowest(drawn: list[Row]) -> float:
    """Return the start of the axis: a tenth at or below all alphas and intervals."""
    ends: list[float] = [end for row in drawn for end in (row["value"], row["low"]) if end is not None]
    return min(LOWEST, math.floor(10 * min(ends)) / 10)


def _pair_name(pair: Result) -> str:
    return " – ".join(pair["annotators"])


def _entries(result: Result, pairs: Sequence[Result]) -> list[tuple[str, str | Result]]:
    """Return what the rows are about: of each variable the pooled value, the mean, and the pairs."""
    known = [variable for variable in VARIABLES if variable in result["pooled"]]
    listed: list[str | Result] = [POOLED, MEAN, *pairs]
    return [(variable, about) for variable in known for about in listed]


def _row(result: Result, entry: tuple[str, str | Result]) -> Row:
    variable, about = entry
    title = VARIABLES[variable][0]
    if about == POOLED:
        return {
            "variable": title,
            "name": POOLED,
            **_numbers(result["pooled"][variable]),
            "kind": "pooled",
        }
    if isinstance(about, str):
        mean = result["mean_of_pairs"][variable]
        return {
            "variable": title,
            "name": MEAN,
            **dict.fromkeys(("low", "high", "images", "caution")),
            "value": mean,
            "refused": None if mean is not None else "no pair has a value",
            "kind": "mean",
        }
    return {"variable": title, "name": _pair_name(about), **_numbers(about[variable]), "kind": "pair"}


def _numbers(alpha: Result) -> Row:
    return {**alpha_numbers(alpha), "caution": alpha.get("caution")}


def _pair_view(order: list[str], variables: list[str], lowest: float) -> Spec:
    x = across("value", "Alpha", scale={"domain": [lowest, 1]}, axis={"tickCount": 8})
    y = down("name", order)
    shape = {
        "field": "kind",
        "type": "nominal",
        "title": None,
        "scale": {"domain": ["pooled", "mean", "pair"], "range": ["diamond", "square", "circle"]},
        "legend": None,
    }
    size = {"condition": {"test": "datum.kind == 'pooled'", "value": 150}, "value": 50}
    told = tips(
        ("name", "Annotators"), ("value", "Alpha"), ("low", "Low"), ("high", "High"), ("images", "Images")
    )
    return {
        "data": {"name": "alphas"},
        "facet": {"row": panels("variable", variables)},
        "spacing": 14,
        "spec": {
            "width": 420,
            "height": {"step": 17},
            "layer": [reference("bounds", x), *intervals(x, y, shape=shape, size=size, tooltip=told)],
        },
    }

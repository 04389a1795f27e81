"""Figures of generators: means with intervals, and differences by each test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from analysis.figures.figure import Figure, FigureColumn, Row, Spec, nothing
from analysis.figures.pieces import (
    across,
    down,
    interval_columns,
    interval_of,
    intervals,
    named,
    reference,
    short,
    tips,
)
from analysis.tables.comparison.finding import LEVEL

RAW: Final = "raw"
TESTS: Final = ("mixed model", "over images (Welch)")
SHAPES: Final = ("circle", "square")
# At most this many pairs are drawn; the table lists all.
PAIRS: Final = 15

Result = Mapping[str, Any]


def means(result: Result) -> Figure:
    """Return the figure of each generator's mean score per image."""
    slug, title = "generator-means", "Mean cumulative score by generator"
    entries = result["generators"]
    if not entries:
        return nothing(slug, title, "no annotations")
    rows = [_mean_row(e["generator"], RAW, e["image_mean"]) for e in entries]
    low, high = (pick(rows, key=lambda row: row["value"]) for pick in (min, max))
    order = [named(name) for name in result["weights"]["ranking"]]
    return Figure(
        slug=slug,
        title=title,
        note="Means per image with 95% intervals, for these prompts and annotators.",
        description=(
            f"Means with intervals of {len(entries)} generators. Lowest mean: {low['name']} "
            f"({short(low['value'])}); highest: {high['name']} ({short(high['value'])})."
        ),
        columns=(
            FigureColumn("name", "Generator", numeric=False),
            FigureColumn("kind", "Kind", numeric=False),
            *interval_columns("Mean"),
            FigureColumn("images", "Images"),
        ),
        rows=rows,
        drawn={"means": rows},
        view={
            "width": 480,
            "height": {"step": 52, "for": "position"},
            "data": {"name": "means"},
            "layer": _forest("name", order, "kind", (RAW,), "Mean cumulative score", "Generator"),
        },
    )


def _mean_row(name: str, kind: str, mean: Mapping[str, Any]) -> Row:
    return {"name": named(name), "kind": kind, **interval_of(mean), "images": mean["n_units"]}


def differences(result: Result) -> Figure:
    """Return the figure of the differences between generators by the mixed model, and over images."""
    slug, title = "generator-differences", "Differences between generators"
    sources = (result["mixed_model"]["pairs"], result["generator_comparisons"])
    rows = [
        _difference_row(test, kind)
        for kind, tests in zip(TESTS, sources, strict=True)
        for test in tests
        if test["difference"]["low"] is not None
    ]
    if not rows:
        return nothing(slug, title, "no two generators can be tested")
    order = _clearest(rows)
    shown = set(order[:PAIRS])
    clear = [
        row for row in rows if row["kind"] == TESTS[0] and row["p_holm"] is not None and row["p_holm"] < LEVEL
    ]
    left = (
        ""
        if len(order) <= PAIRS
        else f" The {PAIRS} of {len(order)} pairs with the smallest p; the table has all."
    )
    return Figure(
        slug=slug,
        title=title,
        note=(
            "First minus second, with joint 95% intervals, which hold for all pairs of a test together; left "
            f"of zero the first has fewer errors. Only the mixed model gives verdicts.{left}"
        ),
        description=(
            f"Differences of {len(order)} pairs of generators with intervals. Clear by the mixed model: "
            f"{', '.join(row['name'] for row in clear) or 'no pair'}."
        ),
        columns=(
            FigureColumn("name", "Generators", numeric=False),
            FigureColumn("kind", "Test", numeric=False),
            *interval_columns("Difference"),
            FigureColumn("p_holm", "p, Holm"),
        ),
        rows=rows,
        drawn={"differences": [row for row in rows if row["name"] in shown], "zero": [{"value": 0}]},
        view={
            "width": 480,
            "height": {"step": 66, "for": "position"},
            "data": {"name": "differences"},
            "layer": [
                reference("zero", across("value", "Difference of means")),
                *_forest("name", order[:PAIRS], "kind", TESTS, "Difference of means", "Generators"),
            ],
        },
    )


def _clearest(rows: Sequence[Row]) -> list[str]:
    """Return the pairs in order, or, if there are too many, by the first available p."""
    smallest: dict[str, float] = {}
    for row in rows:
        smallest.setdefault(row["name"], row["p"])
    return list(smallest) if len(smallest) <= PAIRS else sorted(smallest, key=lambda name: smallest[name])


def _difference_row(test: Mapping[str, Any], kind: str) -> Row:
    return {
        "name": f"{named(test['a'])} – {named(test['b'])}",
        "kind": kind,
        **interval_of(test["simultaneous"]),
        "p": test["p"],
        "p_holm": test["p_holm"],
    }


def _forest(
    field: str, order: Sequence[str], kind: str, kinds: Sequence[str], title: str, heading: str
) -> list[Spec]:
    offset = {"field": kind, "type": "nominal", "sort": list(kinds), "scale": {"paddingOuter": 0.8}}
    shape = {
        "field": kind,
        "type": "nominal",
        "title": None,
        "scale": {"domain": list(kinds), "range": list(SHAPES[: len(kinds)])},
        "legend": {"orient": "top", "direction": "horizontal"},
    }
    x, y = across("value", title, axis={"tickCount": 8}), down(field, order)
    told = tips((field, heading), (kind, "Kind"), ("value", "Value"), ("low", "Low"), ("high", "High"))
    rule, point = intervals(x, y, shape=shape, tooltip=told, yOffset=offset)
    rule["encoding"]["yOffset"] = offset
    return [rule, point]

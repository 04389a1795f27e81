"""Violins of scores by generator, prompt and annotator: outline, points, quartiles and mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from analysis.figures.figure import Figure, FigureColumn, Row, Spec, nothing
from analysis.figures.pieces import across, filtered, named, panels, short, tips

ROW_HEIGHT: Final = 58
WIDTH: Final = 520
SPREAD: Final = (
    FigureColumn("n", "Annotations"),
    FigureColumn("mean", "Mean"),
    FigureColumn("min", "Smallest"),
    FigureColumn("q1", "Lower quartile"),
    FigureColumn("median", "Median"),
    FigureColumn("q3", "Upper quartile"),
    FigureColumn("max", "Largest"),
)

Result = Mapping[str, Any]


def by_annotator(result: Result) -> Figure:
    """Return the violins of each annotator's scores."""
    return _by(result, "annotator", "3C")


def by_generator(result: Result) -> Figure:
    """Return the violins of each generator's scores."""
    return _by(result, "generator", "3E")


def _by(result: Result, key: str, label: str) -> Figure:
    entries = [(named(e[key]), named(e[key]), e) for e in result["distributions"][f"{key}s"]]
    return _violins(f"{key}-scores", f"Cumulative scores by {key}", label, key.capitalize(), entries)


def by_prompt(result: Result) -> Figure:
    """Return the violins of each prompt's scores by prompt group, hardest first."""
    order = {entry["prompt_group"]: place for place, entry in enumerate(result["prompt_groups"])}
    entries = sorted(
        result["distributions"]["prompts"], key=lambda e: (order.get(e["prompt_group"], 0), -e["mean"])
    )
    made = [
        (
            named(e["prompt"]),
            f"{named(e['prompt'])} · {named(e['prompt_group'])}" if len(order) > 1 else named(e["prompt"]),
            e,
        )
        for e in entries
    ]
    return _violins("prompt-scores", "Cumulative scores by prompt", "4A", "Prompt", made)


def _violins(
    slug: str, title: str, label: str, heading: str, entries: Sequence[tuple[str, str, Result]]
) -> Figure:
    if not entries:
        return nothing(slug, title, f"no {heading.lower()}s, or too many to draw side by side", label)
    rows = [{"name": name, **{column.key: e[column.key] for column in SPREAD}} for name, _, e in entries]
    low, high = (pick(entries, key=lambda entry: entry[2]["mean"]) for pick in (min, max))
    return Figure(
        slug=slug,
        label=label,
        title=title,
        note=(
            "Each point is an annotation; the outline is their density, the bar reaches from the lower to "
            "the upper quartile, the tick is the median and the diamond the mean."
        ),
        description=(
            f"Violins of the cumulative scores of {len(entries)} "
            f"{heading.lower()}{'' if len(entries) == 1 else 's'}. "
            f"Lowest mean: {low[0]} ({short(low[2]['mean'])}); highest: {high[0]} ({short(high[2]['mean'])})."
        ),
        columns=(FigureColumn("name", heading, numeric=False), *SPREAD),
        rows=rows,
        drawn={"shapes": [row for _, caption, e in entries for row in _violin(caption, e)]},
        view={
            "data": {"name": "shapes"},
            "facet": {"row": panels("name", [caption for _, caption, _ in entries])},
            "spacing": 4,
            "spec": {"width": WIDTH, "height": ROW_HEIGHT, "layer": _violin_layers(heading)},
        },
    )


def _violin(caption: str, entry: Result) -> list[Row]:
    """Return rows of outline, points, quartiles and mean; heights between −1 and 1."""
    tallest = max((height for _, height in entry["density"]), default=0.0)
    outline = [
        {"name": caption, "part": "outline", "score": x, "up": height / tallest, "down": -height / tallest}
        for x, height in entry["density"]
    ]
    points = [
        {"name": caption, "part": "point", "score": score, "up": _jitter(k) * _height(entry, score, tallest)}
        for k, score in enumerate(entry["points"])
    ]
    numbers = {key: entry[key] for key in ("q1", "median", "q3", "mean", "n")}
    return [*outline, *points, {"name": caption, "part": "middle", "up": 0, **numbers}]


def _jitter(k: int) -> float:
    """Return evenly scattered values between −0.8 and 0.8, by van der Corput's sequence."""
    value, size = 0.0, 1.0
    while k:
        size /= 2
        value += size * (k & 1)
        k >>= 1
    return 1.6 * value - 0.8


def _height(entry: Result, score: float, tallest: float) -> float:
    """Return the outline's relative height at a score; equal scores form a vertical line."""
    density = entry["density"]
    if not density:
        return 0.4
    low, high = density[0][0], density[-1][0]
    place = round((score - low) / (high - low) * (len(density) - 1))
    return float(density[min(max(place, 0), len(density) - 1)][1] / tallest)


def _violin_layers(heading: str) -> list[Spec]:
    up = {"field": "up", "type": "quantitative", "axis": None, "scale": {"domain": [-1.05, 1.05]}}
    score = across("score", "Cumulative score", axis={"grid": True})
    q1, median, mean = ({**score, "field": field} for field in ("q1", "median", "mean"))
    told = tips(("name", heading), ("n", "Annotations"), ("mean", "Mean"), ("median", "Median"))
    return [
        {
            "transform": filtered("outline"),
            "mark": {"type": "area"},
            "encoding": {"x": score, "y": up, "y2": {"field": "down"}},
        },
        {
            "transform": filtered("point"),
            "mark": {"type": "circle", "size": 9, "opacity": 0.55, "aria": False},
            "encoding": {"x": score, "y": up, "tooltip": tips(("score", "Score"))},
        },
        {
            "transform": filtered("middle"),
            "mark": {"type": "rule", "strokeWidth": 4, "opacity": 0.75},
            "encoding": {"x": q1, "x2": {"field": "q3"}, "y": up, "tooltip": told},
        },
        {
            "transform": filtered("middle"),
            "mark": {"type": "tick", "orient": "vertical", "size": 22, "thickness": 3},
            "encoding": {"x": median, "y": up, "tooltip": told},
        },
        {
            "transform": filtered("middle"),
            "mark": {"type": "point", "shape": "diamond", "size": 110, "style": "hollow", "strokeWidth": 1.6},
            "encoding": {"x": mean, "y": up, "tooltip": told},
        },
    ]

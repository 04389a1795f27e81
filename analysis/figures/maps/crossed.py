"""The mean score of each generator on each prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from analysis.figures.figure import Figure, FigureColumn, Row, Spec, nothing
from analysis.figures.pieces import interval_columns, interval_of, named, short, tile_axes, tile_texts, tips
from analysis.tables.comparison.mixed import interaction_words

SLUG: Final = "prompt-generator-means"
TITLE: Final = "Mean cumulative score by generator and prompt"
# At most this many tiles; the table lists all.
TILES: Final = 150
STYLES: Final = ("on-little", "on-middle", "on-much")
DARKER: Final = 0.68
DARKEST: Final = 0.83

Result = Mapping[str, Any]


def by_prompt_and_generator(result: Result) -> Figure:
    """Return the map of means, one tile for each prompt (row) and generator (column)."""
    found = result["generators_by_prompt"]
    rows = [_row(prompt["prompt"], entry) for prompt in found["prompts"] for entry in prompt["generators"]]
    if not rows:
        return nothing(SLUG, TITLE, "no annotations")
    generators = sorted({row["generator"] for row in rows})
    prompts = _hardest(rows)
    shown = prompts[: max(1, TILES // len(generators))]
    drawn = [row for row in rows if row["prompt"] in shown]
    largest = max(row["value"] for row in drawn)
    low, high = (pick(rows, key=lambda row: row["value"]) for pick in (min, max))
    left = f" The {len(shown)} of {len(prompts)} prompts with the highest means; the table has more."
    return Figure(
        slug=SLUG,
        title=TITLE,
        note=(
            "Mean score over images with the 95% interval below it, prompts with the highest mean first. "
            f"{interaction_words(found['interaction'])}{left if len(shown) < len(prompts) else ''}"
        ),
        description=(
            f"A map of {len(prompts)} prompts and {len(generators)} generators. Lowest mean: {_named(low)} "
            f"({short(low['value'])}); highest: {_named(high)} ({short(high['value'])})."
        ),
        columns=(
            FigureColumn("prompt", "Prompt", numeric=False),
            FigureColumn("generator", "Generator", numeric=False),
            *interval_columns("Mean"),
            FigureColumn("images", "Images"),
            FigureColumn("refused", "No interval because", numeric=False),
        ),
        rows=rows,
        drawn={"tiles": [{**row, "on": _style(row["value"], largest)} for row in drawn]},
        view=_view(shown, generators, largest),
    )


def _row(prompt: str, entry: Result) -> Row:
    mean = entry["mean"]
    ends = [mean["low"], mean["high"]]
    return {
        "prompt": named(prompt),
        "generator": named(entry["generator"]),
        **interval_of(mean),
        "images": mean["n_units"],
        "refused": mean["refused"],
        "text": short(mean["value"]),
        "beneath": "" if None in ends else " to ".join(map(short, ends)),
    }


def _style(value: float, largest: float) -> str:
    """Return the style of text on a tile; the two themes turn from dark to light text at other shades."""
    return STYLES[sum(value >= step * largest for step in (DARKER, DARKEST))] if largest else STYLES[0]


def _hardest(rows: Sequence[Row]) -> list[str]:
    """Return the prompts by the mean of their generators' means, highest first."""
    means: dict[str, list[float]] = {}
    for row in rows:
        means.setdefault(row["prompt"], []).append(row["value"])
    return sorted(means, key=lambda name: -sum(means[name]) / len(means[name]))


def _named(row: Row) -> str:
    return f"{row['generator']} on “{row['prompt']}”"


def _view(prompts: Sequence[str], generators: Sequence[str], largest: float) -> Spec:
    x, y = tile_axes("generator", generators, "prompt", prompts)
    told = tips(
        ("prompt", "Prompt"),
        ("generator", "Generator"),
        ("value", "Mean"),
        ("low", "Low"),
        ("high", "High"),
        ("images", "Images"),
    )
    styles = {style: {"field": "on", "equal": style} for style in STYLES}
    texts = tile_texts(x, y, styles, ("text", 14, -6), ("beneath", 10, 10))
    return {
        "width": {"step": 118},
        "height": {"step": 42},
        "data": {"name": "tiles"},
        "layer": [
            {
                "mark": {"type": "rect"},
                "encoding": {
                    "x": x,
                    "y": y,
                    "color": {
                        "field": "value",
                        "type": "quantitative",
                        "scale": {"domain": [0, largest or 1], "range": "diverging", "clamp": True},
                        # The tiles have their numbers.
                        "legend": None,
                    },
                    "tooltip": told,
                },
            },
            *texts,
        ],
    }

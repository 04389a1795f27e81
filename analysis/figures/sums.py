"""Figures of severity sums: unweighted error fractions by generator, prompt, error type and body part.

Every bar is divided into mild, moderate and severe. Compared groups differ by position, so that the three
severities are the only colours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from analysis.figures.figure import Figure, FigureColumn, Row, Spec, nothing
from analysis.figures.pieces import (
    SEVERITY_NAMES,
    across,
    down,
    named,
    panels,
    severity_colour,
    severity_rows,
    short,
    tips,
)
from scoring.grid.taxonomy import BODY_PART_TITLES, BODY_PARTS, ERROR_TYPE_TITLES, ERROR_TYPES, SEVERITIES

NOTE: Final = (
    "Error fractions summed over all annotations, unweighted; the number is the sum of all three severities."
)
KINDS: Final = {
    "error_types": ("error type", [ERROR_TYPE_TITLES[name] for name in ERROR_TYPES]),
    "body_parts": ("body part", [BODY_PART_TITLES[name] for name in BODY_PARTS]),
}

# At most this many bars below each other.
BARS: Final = 150

Result = Mapping[str, Any]
# The names of a bar, such as (prompt, generator).
Place = tuple[str, ...]
Sums = dict[Place, list[float]]


def _cube(result: Result, kind: str) -> Sums:
    """Return (generator, prompt, kind) -> sums of a, b and c."""
    found, names = result["severity_sums"], KINDS[kind][1]
    prompts = [named(prompt) for prompt in found["prompts"]]
    return {
        (generator, prompt, name): values
        for generator, by_prompt in zip(map(named, found["generators"]), found[kind], strict=True)
        for prompt, by_kind in zip(prompts, by_prompt, strict=True)
        for name, values in zip(names, by_kind, strict=True)
    }


def _over(cube: Sums, keep: Sequence[int]) -> Sums:
    """Return the sums over all positions not in `keep`."""
    made: Sums = {}
    for place, sums in cube.items():
        total = made.setdefault(tuple(place[k] for k in keep), [0.0, 0.0, 0.0])
        for severity, value in enumerate(sums):
            total[severity] += value
    return made


def by_generator(result: Result) -> Figure:
    """Return the figure of each generator's severity sums."""
    sums: Sums = {
        (named(entry["generator"]),): [entry["severity"][severity] for severity in SEVERITIES]
        for entry in result["generators"]
    }
    return _figure("generator-severities", "Errors by severity and generator", "3F", sums, ("Generator",))


def by_prompt(result: Result) -> Figure:
    """Return the figure of each generator's severity sums by prompt."""
    slug, title = "prompt-severities", "Errors by severity, generator and prompt"
    refused = result["severity_sums"]["refused"]
    if refused:
        return nothing(slug, title, refused, "4B")
    sums = _over(_cube(result, "error_types"), (1, 0))
    return _figure(slug, title, "4B", _most_first(sums), ("Prompt", "Generator"))


def by_error_type(result: Result) -> Figure:
    """Return the figure of each generator's severity sums by error type."""
    return _by_kind(result, "error_types", "5A")


def by_body_part(result: Result) -> Figure:
    """Return the figure of each generator's severity sums by body part."""
    return _by_kind(result, "body_parts", "5B")


def _by_kind(result: Result, kind: str, label: str) -> Figure:
    word = KINDS[kind][0]
    slug, title = f"{word.replace(' ', '-')}-severities", f"Errors by severity, generator and {word}"
    refused = result["severity_sums"]["refused"]
    if refused:
        return nothing(slug, title, refused, label)
    return _figure(slug, title, label, _over(_cube(result, kind), (2, 0)), (word.capitalize(), "Generator"))


def prompt_by_error_type(result: Result) -> Figure:
    """Return the figure of each prompt's severity sums by error type."""
    return _crossed(result, "error_types", (1, 2), "S1A")


def prompt_by_body_part(result: Result) -> Figure:
    """Return the figure of each prompt's severity sums by body part."""
    return _crossed(result, "body_parts", (1, 2), "S1B")


def all_by_error_type(result: Result) -> Figure:
    """Return the figure of severity sums by prompt, generator and error type."""
    return _crossed(result, "error_types", (1, 0, 2), "S2")


def all_by_body_part(result: Result) -> Figure:
    """Return the figure of severity sums by prompt, generator and body part."""
    return _crossed(result, "body_parts", (1, 0, 2), "S3")


def _crossed(result: Result, kind: str, keep: tuple[int, ...], label: str) -> Figure:
    word = KINDS[kind][0]
    both = "" if len(keep) == 2 else "-generator"
    slug = f"prompt{both}-{word.replace(' ', '-')}-severities"
    title = f"Errors by severity, prompt{', generator' if both else ''} and {word}"
    refused = result["severity_sums"]["refused"]
    if refused:
        return nothing(slug, title, refused, label)
    headings = ("Prompt", "Generator", word.capitalize()) if both else ("Prompt", word.capitalize())
    return _figure(slug, title, label, _most_first(_over(_cube(result, kind), keep)), headings, columns=True)


def _most_first(sums: Sums) -> Sums:
    """Return the sums ordered by the total of the first name, largest first."""
    totals: dict[str, float] = {}
    for place, values in sums.items():
        totals[place[0]] = totals.get(place[0], 0.0) + sum(values)
    return dict(sorted(sums.items(), key=lambda pair: -totals[pair[0][0]]))


def _figure(
    slug: str, title: str, label: str, sums: Sums, headings: tuple[str, ...], *, columns: bool = False
) -> Figure:
    """Return bars of sums; with `columns`, the last name is the column and the one before it the bar."""
    if not sums:
        return nothing(slug, title, "no annotations", label)
    keys = [heading.lower().replace(" ", "_") for heading in headings]
    orders = [list(dict.fromkeys(place[k] for place in sums)) for k in range(len(keys))]
    shown = _fitting(orders, len(sums), columns=columns) if keys[0] == "prompt" else orders[0]
    left = f" The {len(shown)} of {len(orders[0])} with the most errors; the table has all."
    most = max(sums, key=lambda place: sum(sums[place]))
    return Figure(
        slug=slug,
        label=label,
        title=title,
        note=NOTE + (left if len(shown) < len(orders[0]) else ""),
        description=(
            f"Stacked bars of mild, moderate and severe errors by {', '.join(headings).lower()}. The "
            f"longest bar is {' · '.join(most)} with {short(sum(sums[most]))}: {_split(sums[most])}."
        ),
        columns=(
            *(FigureColumn(key, heading, numeric=False) for key, heading in zip(keys, headings, strict=True)),
            *(FigureColumn(name, name.capitalize()) for name in SEVERITY_NAMES),
        ),
        rows=[
            {**dict(zip(keys, place, strict=True)), **dict(zip(SEVERITY_NAMES, values, strict=True))}
            for place, values in sums.items()
        ],
        drawn={"sums": _drawn(sums, keys, set(shown))},
        view=_view(keys, headings, [shown, *orders[1:]], columns=columns),
    )


def _drawn(sums: Sums, keys: Sequence[str], shown: set[str]) -> list[Row]:
    """Return a row for each severity of the bars whose first name is shown."""
    rows: list[Row] = []
    for place, values in sums.items():
        if place[0] in shown:
            total = sum(values)
            about = {**dict(zip(keys, place, strict=True)), "total": total, "label": short(total, 1)}
            rows += severity_rows(about, values)
    return rows


def _fitting(orders: Sequence[list[str]], places: int, *, columns: bool) -> list[str]:
    """Return the prompts with most errors whose bars fit below each other."""
    below = places // (len(orders[-1]) if columns else 1)
    return orders[0][: max(1, BARS * len(orders[0]) // below)]


def _split(values: Sequence[float]) -> str:
    return ", ".join(f"{short(value)} {name}" for name, value in zip(SEVERITY_NAMES, values, strict=True))


def _view(
    keys: Sequence[str], headings: Sequence[str], orders: Sequence[list[str]], *, columns: bool
) -> Spec:
    bars = keys[:-1] if columns else keys
    width = 118 if columns else 460
    step = {1: 40, 2: 17}.get(len(bars), 17) if not (columns and len(bars) == 1) else 24
    inner: Spec = {
        "width": width,
        "height": {"step": step},
        "layer": _layers(bars[-1], orders[len(bars) - 1], keys, headings, columns),
    }
    facet: Spec = {}
    if len(bars) > 1:
        facet["row"] = panels(keys[0], orders[0])
    if columns:
        facet["column"] = panels(keys[-1], orders[-1], {"labelAnchor": "middle"})
    if not facet:
        return {**inner, "data": {"name": "sums"}}
    return {
        "data": {"name": "sums"},
        "facet": facet,
        "spacing": {"row": 8, "column": 14},
        "spec": inner,
    }


def _layers(
    bar: str, order: list[str], keys: Sequence[str], headings: Sequence[str], small: bool
) -> list[Spec]:
    y = down(bar, order, axis={"ticks": False, "domain": False})
    told = tips(*zip(keys, headings, strict=True), ("severity", "Severity"), ("sum", "Sum"))
    axis = {"tickCount": 3 if small else 6, "grid": True}
    title = None if small else "Sum of error fractions"
    x = across("sum", title, stack="zero", axis=axis)
    return [
        {
            "mark": {"type": "bar", "height": {"band": 0.8}},
            "encoding": {
                "y": y,
                "x": x,
                "color": severity_colour(),
                "order": {"field": "rank"},
                "tooltip": told,
            },
        },
        {
            "transform": [{"filter": "datum.rank == 2"}],
            "mark": {"type": "text", "align": "left", "dx": 4, "fontSize": 10},
            "encoding": {"y": y, "x": across("total", title), "text": {"field": "label"}},
        },
    ]

"""The page of prompts: which is hardest, how sure that is, and each generator on each prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlencode

from analysis.first_screen.ranking import ENOUGH, axis_of, dot, ticks_of
from analysis.stats.generic.tables import rows_of
from analysis.tables.wording import PLACES, counted, limits, rounded
from scoring.prompts import prompt_key

MOST: Final = 60
"""Prompts on the page, those with the most errors; the comparison's file has all."""
FIRST: Final = 15
"""Prompts that are open; more of them are folded, so that the page stays within three screens."""
COLUMNS: Final = 8
"""Generators with a column of their own; with more of them, the comparison's figure has all."""
SHADES: Final = 5
FEWEST: Final = 8
"""Images below which a mean has no interval on this page."""
Result = Mapping[str, Any]
Row = Mapping[str, Any]


def prompts_page(result: Result) -> dict[str, Any] | None:
    """Return the page of a comparison's result, prompts with the highest mean first; None without means.

    `rows` are open, `further` folded, `left_out` not shown; `several` counts the prompts, 0 for one alone;
    `fewest` images give a mean an interval.
    """
    rows = rows_of(result, "prompts")
    known = [
        {**row, "mean": _bounded(row["mean"], row["images"])}
        for row in rows
        if row["mean"]["value"] is not None
    ]
    if not known:
        return None
    means = sorted(known, key=lambda row: (-row["mean"]["value"], row["prompt"]))
    ticks = axis_of([row["mean"] for row in means[:MOST]], result["settings"]["scale"])
    names, cells = _crossed(result, rows)
    shown = [_row(row, cells.get(row["prompt"], ()), ticks) for row in means[:MOST]]
    first = FIRST if len(shown) > FIRST + 1 else len(shown)
    return {
        "highest": shown[0],
        "lowest": {"prompt": means[-1]["prompt"], "value": _two(means[-1]["mean"]["value"])},
        "several": len(means) if len(means) > 1 else 0,
        "of_errors": bool(rows_of(result, "error_types")),
        "generators": names,
        "rows": shown[:first],
        "further": shown[first:],
        "ticks": ticks_of(ticks),
        "left_out": len(means) - len(shown),
        "fewest": FEWEST,
    }


def _crossed(result: Result, rows: Sequence[Row]) -> tuple[list[str], dict[str, Sequence[Row]]]:
    """Return the generators, lowest mean first, and prompt → their cells; none if there are too many."""
    of_generators = [row for row in rows_of(result, "generators") if row["mean"]["value"] is not None]
    names = [row["generator"] for row in sorted(of_generators, key=lambda row: float(row["mean"]["value"]))]
    if not 1 < len(names) <= COLUMNS:
        return [], {}
    there = [mean["value"] for row in rows for mean in _own(row, names) if mean["value"] is not None]
    most = max(there, default=0.0)
    return names, {
        row["prompt"]: [
            _cell(row["prompt"], name, mean, most) for name, mean in zip(names, _own(row, names), strict=True)
        ]
        for row in rows
    }


def _own(row: Row, names: Sequence[str]) -> list[Mapping[str, Any]]:
    """Return the mean of each generator on a prompt."""
    return [row[f"generator {name}"] for name in names]


def _cell(prompt: str, generator: str, mean: Mapping[str, Any], most: float) -> dict[str, Any]:
    """Return a generator's mean on a prompt; `shade` is 0 (none) to 4 of the largest mean on the page.

    `interval` is the number of images where they are too few for one.
    """
    if not mean["n_units"]:
        return {"value": "–", "interval": "", "shade": 0, "link": ""}
    few = mean["n_units"] < FEWEST
    has_names = prompt and generator
    return {
        "value": _two(mean["value"]),
        "interval": counted(mean["n_units"], "image") if few else limits(mean) or mean["refused"] or "",
        "shade": min(int(SHADES * mean["value"] / most), SHADES - 1) if most > 0 else 0,
        "link": urlencode({"prompt": prompt_key(prompt), "generator": generator}) if has_names else "",
    }


def _row(row: Row, cells: Sequence[Row], ticks: Sequence[float]) -> dict[str, Any]:
    """Return a prompt with its mean.

    `link` and those of the cells are filters of the gallery, `beside` shows its generators side by side.
    """
    prompt = row["prompt"]
    return {
        "prompt": prompt,
        "images": row["images"],
        **dot(row["mean"], ticks),
        "few": row["images"] < ENOUGH,
        "cells": cells,
        "link": urlencode({"prompt": prompt_key(prompt)}) if prompt else "",
        "beside": urlencode({"view": "compare", "prompt": prompt_key(prompt)}) if prompt and cells else "",
    }


def _bounded(mean: Mapping[str, Any], images: int) -> Mapping[str, Any]:
    """Return a mean without the interval for which it has too few images."""
    if images >= FEWEST:
        return mean
    return {**mean, "low": None, "high": None, "refused": f"too few: {images} of {FEWEST}"}


def _two(value: float) -> str:
    return rounded(value, PLACES)

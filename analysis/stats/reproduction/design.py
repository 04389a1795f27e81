"""Counts of the design: images, annotations, marks, and how evenly they are spread."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy import stats

from analysis.stats.frames import RatingsFrame
from analysis.stats.reproduction.assignment import notebook_counts, with_double
from scoring.grid.taxonomy import BODY_PARTS, CELLS, ERROR_TYPES, SEVERITIES

_PEOPLE = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8}


def design(frame: RatingsFrame) -> dict[str, float | None]:
    """Return counts by key; `x_per_y` is the count that all y share, None if they differ."""
    table = with_double(frame)
    images = table.drop_duplicates("image")
    single, double = images[~images["double"]], images[images["double"]]
    prompts = frame.labels("prompt")
    found: dict[str, float | None] = {
        "images": len(images),
        "annotations": len(table),
        "annotators": len(frame.labels("annotator")),
        "single": len(single),
        "double": len(double),
        "percent_double": 100 * len(double) / len(images) if len(images) else None,
        "generators": len(frame.labels("generator")),
        "prompts": len(prompts),
        "prompts_naming_five": sum("five" in prompt.split() for prompt in prompts),
        "most_prompted": max(
            (_PEOPLE.get(word, 0) for text in prompts for word in text.split()), default=None
        ),
        "error_types": len(ERROR_TYPES),
        "body_parts": len(BODY_PARTS),
        "severities": len(SEVERITIES),
        "cells": len(CELLS),
        "images_per_cell": _even(images, "generator", "prompt"),
        **_of_prompts(table),
        **_of_marks(frame),
    }
    # A doubly annotated image has one generator and prompt but two annotators.
    shares = table[table["double"]]
    for name, rows, by_annotator in (
        ("single", single, single),
        ("double", double, shares),
        ("annotations", table, table),
    ):
        found[f"{name}_per_generator"] = _even(rows, "generator")
        found[f"{name}_per_prompt"] = _even(rows, "prompt")
        found[f"{name}_per_generator_prompt"] = _even(rows, "generator", "prompt")
        found[f"{name}_per_annotator"] = _even(by_annotator, "annotator")
        found[f"{name}_per_annotator_generator"] = _even(by_annotator, "annotator", "generator")
    if (counts := notebook_counts(frame)) is not None:
        found["notebook.single"], found["notebook.all"] = counts
    return found


def _even(table: pd.DataFrame, *columns: str) -> float | None:
    """Return the number of rows per combination of the columns, if it is the same for all."""
    counts = table.groupby(list(columns), observed=False).size().unique()
    return int(counts[0]) if len(counts) == 1 else None


def _of_prompts(table: pd.DataFrame) -> dict[str, float | None]:
    """Return how evenly the prompts are spread over annotators: range, and Pearson's chi-squared test."""
    counts = pd.crosstab(table["prompt"], table["annotator"])
    if min(counts.shape, default=0) < 2:
        return {}
    test = stats.chi2_contingency(counts)
    found = {"chi2": test.statistic, "chi2_df": test.dof, "chi2_p": test.pvalue}
    return {**{key: float(value) for key, value in found.items()}, **_range(counts.to_numpy())}


def _range(counts: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> dict[str, float | None]:
    return {"fewest_of_prompt": int(counts.min()), "most_of_prompt": int(counts.max())}


def _of_marks(frame: RatingsFrame) -> dict[str, float | None]:
    """Return the marks, and the cells whose counts contradict each other."""
    marks = frame.marks
    table = pd.DataFrame(
        {"row": marks.row, "cell": marks.cell, "affected": marks.affected, "total": marks.total}
    )
    cells = table.groupby(["row", "cell"]).agg(
        affected=("affected", "sum"), least=("total", "min"), most=("total", "max")
    )
    parts = table["cell"].map({place: cell.body_part for place, cell in enumerate(CELLS)})
    return {
        "marks": len(table),
        "cells_above_total": int((cells["affected"] > cells["most"]).sum()),
        "cells_of_two_totals": int((cells["least"] != cells["most"]).sum()),
        **{f"most.{part}": _largest(table.loc[parts == part, "total"]) for part in ("torso", "face")},
    }


def _largest(totals: pd.Series[int]) -> float | None:
    return int(totals.max()) if len(totals) else None

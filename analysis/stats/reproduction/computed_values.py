"""Our values of all figures that check claims."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.stats.agreement.agreement import VARIABLES, agreement
from analysis.stats.comparison.comparison import comparison
from analysis.stats.frames import RatingsFrame
from scoring.grid.notation import Term
from scoring.grid.scores import cumulative_score
from scoring.grid.taxonomy import BODY_PARTS, ERROR_TYPES, SEVERITIES

Figures = Mapping[str, float | None]

WORKED_EXAMPLE: Final = {
    "missing.face": (Term(2, 2, "a"),),
    "missing.limbs": (Term(1, 4, "c"),),
    "configuration.hands": (Term(1, 3, "c"), Term(1, 3, "b")),
    "missing.hands": (Term(1, 3, "b"),),
}


def figures(frame: RatingsFrame) -> Figures:
    """Return figure name -> its value in this frame, or None.

    `x_per_y` is the count that all y share; None if they differ.
    """
    report, compared = agreement(frame), comparison(frame)
    found: dict[str, float | None] = {**_design(frame), "worked_example": float(_worked_example())}
    for variable in VARIABLES:
        found[f"mean.{variable}"] = report["mean_of_pairs"][variable]
        found[f"pooled.{variable}"] = report["pooled"][variable]["alpha"]
    for entry in compared["generators"]:
        found[f"mean.{entry['generator']}"] = entry["mean"]
        found[f"variance.{entry['generator']}"] = entry["variance"]
    for test in compared["generator_tests"]:
        for name in ("t", "df", "p"):
            found[f"{name}.{test['a']}.{test['b']}"] = test[name]
    return found


def _worked_example() -> Any:
    return cumulative_score(WORKED_EXAMPLE)


def with_double(frame: RatingsFrame) -> pd.DataFrame:
    """Return the annotations with a column `double`: whether another annotator judged the image too."""
    images = frame.image_codes
    counts = np.bincount(images)[images] if len(images) else images
    return frame.annotations.assign(double=counts >= 2)


def _design(frame: RatingsFrame) -> dict[str, float | None]:
    table = with_double(frame)
    images = table.drop_duplicates("image")
    single, double = images[~images["double"]], images[images["double"]]
    found: dict[str, float | None] = {
        "images": len(images),
        "annotations": len(table),
        "single": len(single),
        "double": len(double),
        "percent_double": 100 * len(double) / len(images) if len(images) else None,
        "generators": len(frame.labels("generator")),
        "prompts": len(frame.labels("prompt")),
        "error_types": len(ERROR_TYPES),
        "body_parts": len(BODY_PARTS),
        "severities": len(SEVERITIES),
        "images_per_cell": _even(images, "generator", "prompt"),
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
    return found


def _even(table: pd.DataFrame, *columns: str) -> float | None:
    """Return the number of rows per combination of the columns, if it is the same for all."""
    counts = table.groupby(list(columns), observed=False).size().unique()
    return int(counts[0]) if len(counts) == 1 else None

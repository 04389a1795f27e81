"""The agreement report's numbers by a straightforward script without intervals, as a baseline."""

from __future__ import annotations

import csv
import time
from collections.abc import Iterator, Mapping
from itertools import combinations
from pathlib import Path
from typing import Any, Literal
from unittest import mock

import krippendorff
import numpy as np
import pandas as pd

from analysis.stats import bootstrap_intervals
from analysis.stats.agreement.agreement import agreement
from analysis.stats.bootstrap_intervals import Interval
from analysis.stats.frames import RatedAnnotation, RatingsFrame, build_frame
from scoring.grid.notation import read_cell
from scoring.grid.scores import cumulative_score
from scoring.grid.severity_weights import DEFAULT_WEIGHTS
from scoring.grid.taxonomy import BODY_PARTS, CELLS, ERROR_TYPES

GROUPS = ("generator", "prompt", "prompt_group", "batch")
ROUNDS = 5

Alphas = dict[str, float | None]
Level = Literal["nominal", "ordinal", "interval"]


def alpha(table: pd.DataFrame, value: str, level: Level) -> float | None:
    """Return the alpha of a table with columns image, annotator and `value`; None if the library refuses."""
    wide = table.pivot_table(index="annotator", columns="image", values=value)
    return of_matrix(wide.to_numpy(dtype=float), level)


def of_matrix(wide: Any, level: Level) -> float | None:
    try:
        return float(krippendorff.alpha(reliability_data=wide, level_of_measurement=level))
    except ValueError:
        return None


def banded(scores: pd.Series[float]) -> Any:
    low, high = scores.quantile([0.5, 0.75])
    return (scores > low).astype(int) + (scores > high).astype(int)


def variables(table: pd.DataFrame) -> Alphas:
    """Return the five alphas of a table with bands."""
    wide = [
        table.pivot_table(index="annotator", columns="image", values=cell.key).to_numpy(dtype=float)
        for cell in CELLS
    ]
    return {
        "cumulative_score": alpha(table, "score", "interval"),
        "overall_severity": alpha(table, "band", "ordinal"),
        "overall_severity_all_images": alpha(table, "band_all", "ordinal"),
        "cells": of_matrix(np.hstack(wide), "nominal"),
        "cumulative_score_adjusted": alpha(table, "z", "interval"),
    }


def plain(table: pd.DataFrame) -> dict[str, Any]:
    """Return pairs, their means, pooled, by group and by part of the grid."""
    table = table.copy()
    by_annotator = table.groupby("annotator")["score"]
    table["band_all"] = by_annotator.transform(banded)
    table["z"] = by_annotator.transform(lambda scores: (scores - scores.mean()) / scores.std())
    doubles = table[table.groupby("image")["annotator"].transform("count") >= 2].copy()
    doubles["band"] = doubles.groupby("annotator")["score"].transform(banded)
    pairs = dict(_pairs(table))
    found: dict[str, Any] = {"pairs": pairs, "pooled": variables(doubles)}
    found["mean"] = {
        name: float(np.nanmean([pair[name] for pair in pairs.values()])) for name in found["pooled"]
    }
    for column in GROUPS:
        found[column] = {name: variables(part) for name, part in doubles.groupby(column, observed=True)}
    found["pieces"] = {name: _piece(doubles, keys) for name, keys in _members().items()}
    return found


def _pairs(table: pd.DataFrame) -> Iterator[tuple[tuple[str, str], Alphas]]:
    for a, b in combinations(sorted(table["annotator"].unique()), 2):
        both = table[table["annotator"].isin([a, b])]
        both = both[both.groupby("image")["annotator"].transform("count") == 2].copy()
        both["band"] = both.groupby("annotator")["score"].transform(banded)
        yield (a, b), variables(both)


def _members() -> dict[str, list[str]]:
    cells = {cell.key: [cell.key] for cell in CELLS}
    types = {name: [cell.key for cell in CELLS if cell.error_type == name] for name in ERROR_TYPES}
    parts = {name: [cell.key for cell in CELLS if cell.body_part == name] for name in BODY_PARTS}
    return {**cells, **types, **parts}


def _piece(doubles: pd.DataFrame, keys: list[str]) -> tuple[float | None, float | None]:
    marked = [doubles.pivot_table(index="annotator", columns="image", values=key).to_numpy() for key in keys]
    part = doubles.assign(part=doubles[[f"{key} score" for key in keys]].sum(axis=1))
    return of_matrix(np.hstack(marked), "nominal"), alpha(part, "part", "interval")


def study_frame(folder: Path) -> RatingsFrame:
    """Return the published study, read from its file."""
    images: dict[tuple[str, ...], int] = {}
    with (folder / "data" / "annotations.csv").open(newline="", encoding="utf-8") as file:
        return build_frame([_rated(row, images) for row in csv.DictReader(file)], DEFAULT_WEIGHTS)


def _rated(row: Mapping[str, str], images: dict[tuple[str, ...], int]) -> RatedAnnotation:
    image = images.setdefault((row["Model"], row["Prompt"], row["Pic Num."]), len(images) + 1)
    terms = {cell.key: read_cell(row[cell.heading])[0] for cell in CELLS if row[cell.heading]}
    ratings = [("cumulative_score", "", str(cumulative_score(terms)))]
    for key, found in terms.items():
        ratings += [
            ("error_fraction", f"{key}.{term.severity}", f"{term.affected}/{term.total}") for term in found
        ]
    return RatedAnnotation(image, row["Annotator"], row["Model"], row["Prompt"], "all", "batch", ratings)


def _without_intervals(rows: Any, statistic: Any, **_: Any) -> Interval:
    size = len(statistic(rows.sum(axis=0)))
    nothing = np.full(size, np.nan)
    return Interval(nothing, nothing, "none", ["left out"] * size)


def compare(folder: Path) -> str:
    """Compare both on the published study, best of a few rounds, and check that they agree."""
    frame = study_frame(folder)
    table = frame.annotations.rename(columns={"cumulative_score": "score"})
    table = table.astype(dict.fromkeys(("annotator", *GROUPS), str))
    for place, cell in enumerate(CELLS):
        table[cell.key] = frame.cells[:, place].astype(float)
        table[f"{cell.key} score"] = frame.cell_scores[:, place]
    ours, theirs, full = [], [], []
    for _ in range(ROUNDS):
        start = time.process_time()
        report = agreement(RatingsFrame(frame.annotations, frame.marks, frame.exact_weights))
        full.append(time.process_time() - start)
        with mock.patch.object(bootstrap_intervals, "intervals", _without_intervals):
            start = time.process_time()
            agreement(RatingsFrame(frame.annotations, frame.marks, frame.exact_weights))
            ours.append(time.process_time() - start)
        start = time.process_time()
        expected = plain(table)
        theirs.append(time.process_time() - start)
    _check(report, expected)
    return (
        f"plain script {min(theirs):.3f} s CPU; ours without intervals {min(ours):.3f} s, "
        f"{min(theirs) / min(ours):.1f} times ahead; with intervals {min(full):.3f} s, "
        f"{min(theirs) / min(full):.1f} times. Every alpha agrees to 1e-12."
    )


def _check(report: Any, expected: Mapping[str, Any]) -> None:
    pairs = [(pair, expected["pairs"][tuple(pair["annotators"])]) for pair in report["pairs"]]
    groups = [
        (row, expected[column][row["name"]]) for column in GROUPS for row in report["by"][column]["rows"]
    ]
    for ours, plainly in [(report["pooled"], expected["pooled"]), *pairs, *groups]:
        for name, value in plainly.items():
            assert _same(ours[name]["value"], value), (ours, name, value)
    for kind in ("cell", "error_type", "body_part"):
        for row in report["by"][kind]:
            cells, score = expected["pieces"][row["name"]]
            assert _same(row["cells"]["value"], cells), (row, cells)
            assert _same(row["cumulative_score"]["value"], score), (row, score)


def _same(ours: float | None, plainly: float | None) -> bool:
    if ours is None or plainly is None:
        return ours is plainly
    return abs(ours - plainly) < 1e-12

"""Frames to compute with: small invented ones, and the published study."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest

from analysis.management.commands.reproduce import read_study
from analysis.stats.frames import Floats, RatedAnnotation, RatingsFrame, build_frame
from analysis.stats.generic.alphas import interval_sums
from scoring.grid.notation import read_cell
from scoring.grid.scores import cumulative_score
from scoring.grid.severity_weights import DEFAULT_WEIGHTS
from scoring.grid.taxonomy import CELLS

PROMPT_GROUPS = {
    "person jogging": "individual",
    "athlete performing salto": "individual",
    "people eating pizza": "group",
    "five people sunbathing on beach": "group",
    "five people playing volleyball": "group",
}

Marks = dict[str, str]


def rated(
    image: int,
    annotator: str,
    cells: Marks,
    *,
    generator: str = "g",
    prompt: str = "p",
    prompt_group: str = "pair",
    number: int = 0,
) -> RatedAnnotation:
    """An annotation from cell texts, such as {"missing.hands": "1/3b,1/3c"}, unreadable terms left out."""
    terms = {key: read_cell(text)[0] for key, text in cells.items()}
    ratings = [("cumulative_score", "", str(cumulative_score(terms)))]
    for key, found in terms.items():
        ratings += [
            ("error_fraction", f"{key}.{term.severity}", f"{term.affected}/{term.total}") for term in found
        ]
    return RatedAnnotation(image, annotator, generator, prompt, prompt_group, "batch 1", ratings, number)


def framed(*rows: RatedAnnotation) -> RatingsFrame:
    """A frame under the published weights."""
    return build_frame(rows, DEFAULT_WEIGHTS)


def scored(scores: dict[str, dict[int, str]]) -> RatingsFrame:
    """A frame of chosen cumulative scores, as exact texts by annotator and image."""
    return framed(
        *(
            RatedAnnotation(image, annotator, "g", "p", "pair", "batch 1", _one_mark(text))
            for annotator, images in scores.items()
            for image, text in images.items()
        )
    )


def _one_mark(score: str) -> list[list[str]]:
    """Severity c weighs 1, so one fraction as large as the score makes it up."""
    return [["cumulative_score", "", score], ["error_fraction", "missing.face.c", score]]


def summed(values: npt.ArrayLike, units: npt.ArrayLike) -> Floats:
    """(units with two ratings or more, 4): what `alpha_from` takes, of (ratings,) numbers and their units."""
    x, u = np.asarray(values, dtype=np.float64), np.asarray(units, dtype=np.int64)
    pairable = np.bincount(u)[u] >= 2
    x, u = x[pairable] - x[pairable].mean(), np.unique(u[pairable], return_inverse=True)[1]
    n = np.bincount(u)
    return np.column_stack([n, interval_sums(x, u, n)])


@pytest.fixture(scope="session")
def study_rows(study_data: Path) -> list[dict[str, str]]:
    """The 300 rows of the published file, texts as they are."""
    with (study_data / "data" / "annotations.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="session")
def study_tables(study_data: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Annotations and marks of the published study, as `manage.py reproduce` reads them."""
    return read_study(study_data)


@pytest.fixture(scope="session")
def study_frame(study_rows: list[dict[str, str]]) -> RatingsFrame:
    """The published study; images are numbered by generator, prompt and picture number."""
    images: dict[tuple[str, str, str], int] = {}
    return framed(*(_study_row(row, images) for row in study_rows))


def _study_row(row: dict[str, str], images: dict[tuple[str, str, str], int]) -> RatedAnnotation:
    image = images.setdefault((row["Model"], row["Prompt"], row["Pic Num."]), len(images) + 1)
    cells = {cell.key: row[cell.heading] for cell in CELLS if row[cell.heading]}
    group = PROMPT_GROUPS.get(row["Prompt"], "pair")
    return rated(
        image,
        row["Annotator"],
        cells,
        generator=row["Model"],
        prompt=row["Prompt"],
        prompt_group=group,
        number=int(row["Pic Num."]),
    )

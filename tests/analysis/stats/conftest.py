"""Frames to compute with: small invented ones."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from analysis.stats.frames import Floats, RatedAnnotation, RatingsFrame, build_frame
from analysis.stats.generic.alphas import interval_sums
from scoring.anatomy.protocol import payload_from_cells
from scoring.grid.notation import read_cell
from scoring.grid.scores import cumulative_score
from scoring.grid.severity_weights import DEFAULT_WEIGHTS

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
    marks = payload_from_cells(terms)["marks"]
    about = (image, annotator, generator, prompt, prompt_group, "batch 1")
    return RatedAnnotation(*about, ratings, number, marks=marks)


def framed(*rows: RatedAnnotation) -> RatingsFrame:
    """A frame under the published weights."""
    return build_frame(rows, DEFAULT_WEIGHTS)


def scored(scores: dict[str, dict[int, str]]) -> RatingsFrame:
    """A frame of chosen cumulative scores, as exact texts by annotator and image."""
    return framed(
        *(
            RatedAnnotation(
                image, annotator, "g", "p", "pair", "batch 1", _score(text), marks=_one_mark(text)
            )
            for annotator, images in scores.items()
            for image, text in images.items()
        )
    )


def _score(text: str) -> list[list[str]]:
    return [["cumulative_score", "", text]]


def _one_mark(score: str) -> list[dict[str, Any]]:
    """Severity c weighs 1, so one fraction as large as the score makes it up."""
    affected, total = Fraction(score).as_integer_ratio()
    return [{"type": "missing", "part": "face", "severity": "c", "affected": affected, "total": total}]


def summed(values: npt.ArrayLike, units: npt.ArrayLike) -> Floats:
    """(units with two ratings or more, 4): what `alpha_from` takes, of (ratings,) numbers and their units."""
    x, u = np.asarray(values, dtype=np.float64), np.asarray(units, dtype=np.int64)
    pairable = np.bincount(u)[u] >= 2
    x, u = x[pairable] - x[pairable].mean(), np.unique(u[pairable], return_inverse=True)[1]
    n = np.bincount(u)
    return np.column_stack([n, interval_sums(x, u, n)])

"""Computations of the authors' published script that differ from its description.

Rules read in scripts/data_analysis.py of the repository hastingslab-org/ai-human-images (commits 3565ec8
and 2c9e601) and reimplemented here to verify each explanation.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import pandas as pd

from analysis.stats.bands import BANDS
from analysis.stats.frames import Floats, RatingsFrame

BandCounts = dict[str, tuple[int, int, int]]

_MIDDLE: Final = [0.5, 0.75]


def table_bounds(frame: RatingsFrame) -> dict[str, tuple[float, float]]:
    """Return the script's bounds of low and medium for each annotator, for its figure of overall severity.

    It asks pandas for quantiles of whole table rows (`method="table"`). Those are found by sorting the
    rows by their first numeric column, the picture number, so that the bounds are the scores of two
    rows in the middle and at three quarters of *picture numbers*: the first may exceed the second.
    """
    columns = [f"cell {k:02}" for k in range(frame.cell_scores.shape[1])]
    table = pd.DataFrame(frame.cell_scores, columns=columns)
    table.insert(0, "number", frame.annotations["number"].to_numpy())
    table["score"] = frame.scores
    codes = frame.codes("annotator")
    return {
        label: _pair(table[codes == code].quantile(_MIDDLE, method="table", interpolation="nearest"))
        for code, label in enumerate(frame.labels("annotator"))
    }


def _pair(quantiles: pd.DataFrame) -> tuple[float, float]:
    low, medium = quantiles["score"].tolist()
    return float(low), float(medium)


def score_bounds(frame: RatingsFrame) -> dict[str, tuple[float, float]]:
    """Return the bounds as described: the quantiles of each annotator's own cumulative scores."""
    found = {}
    for label, scores in frame.parts("annotator", frame.scores).items():
        low, medium = np.quantile(scores, _MIDDLE).tolist()
        found[label] = (low, medium)
    return found


def band_counts(frame: RatingsFrame, bounds: dict[str, tuple[float, float]]) -> BandCounts:
    """Return each generator's numbers of low, medium and high annotations under each annotator's bounds."""
    low, medium = np.array([bounds[label] for label in frame.labels("annotator")])[frame.codes("annotator")].T
    bands = np.where(frame.scores <= low, 0, np.where(frame.scores <= medium, 1, 2))
    counts = np.zeros((len(frame.labels("generator")), len(BANDS)), dtype=np.int64)
    np.add.at(counts, (frame.codes("generator"), bands), 1)
    return {
        label: (int(row[0]), int(row[1]), int(row[2]))
        for label, row in zip(frame.labels("generator"), counts, strict=True)
    }


def prompt_sums(frame: RatingsFrame) -> dict[str, Floats]:
    """Return (3,) by prompt: unweighted error fractions by severity, half of the script's bar labels.

    The script sums a list that holds every term twice: under its body part and under its error type.
    """
    return {label: sums.sum(axis=0) for label, sums in frame.parts("prompt", frame.severity_sums).items()}

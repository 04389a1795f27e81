"""Computations of the authors' published script that differ from its description.

Rules read in scripts/data_analysis.py of the repository hastingslab-org/ai-human-images (commits 3565ec8
and 2c9e601) and reimplemented here to verify each explanation.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import pandas as pd
from scipy import stats

from analysis.stats.agreement.alpha import alpha_from
from analysis.stats.agreement.point_estimates import from_marked
from analysis.stats.agreement.values import disagreeing
from analysis.stats.bands import BANDS
from analysis.stats.frames import Floats, Ints, RatingsFrame
from analysis.stats.pairs import shared_images
from scoring.grid.taxonomy import BODY_PARTS

BandCounts = dict[str, tuple[int, int, int]]

_MIDDLE: Final = [0.5, 0.75]


def face_only_alphas(frame: RatingsFrame) -> dict[tuple[str, str], float]:
    """Return alpha of the five face cells by pair of annotators; NaN if undefined.

    The script appends the yes/no pair after its loop over the body parts has ended, not inside it: of
    the five cells of an error type only the last, the face, is kept.
    """
    shared = shared_images(frame)
    faces = frame.cells[:, len(BODY_PARTS) - 1 :: len(BODY_PARTS)].astype(np.int64)
    return {
        names: _of_pair(faces[shared.first[where]], faces[shared.second[where]])
        for names, where in zip(shared.names, shared.slices, strict=True)
    }


def _of_pair(first: Ints, second: Ints) -> float:
    """Return nominal alpha of two annotators' (images, cells) yes/no marks."""
    n, marked = np.full(len(first), 2), first + second
    totals = [2 * first.size, marked.sum(), marked.sum(), disagreeing(marked, n[:, None]).sum()]
    return from_marked(marked, n, float(alpha_from(totals))).value


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
    """Return (3,) by prompt: the bar labels of the script's figure of severity by prompt.

    It sums a list that holds every term twice, once under its body part and once under its error type.
    """
    parts = frame.parts("prompt", frame.fractions.sum(axis=1))
    return {label: 2 * severity.sum(axis=0) for label, severity in parts.items()}


def student_test(a: Floats, b: Floats) -> tuple[float, float, float]:
    """Return t, degrees of freedom and p of Student's test, which the script prints after Welch's."""
    result = stats.ttest_ind(a, b, equal_var=True)
    return float(result.statistic), float(result.df), float(result.pvalue)

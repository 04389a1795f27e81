"""Krippendorff's alpha by pair of annotators, each from `krippendorff.alpha` on the pair's shared images.

Written without the reports' code, so that the published means have a second implementation.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any, Final, Literal, NamedTuple

import krippendorff
import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.stats.frames import Floats, RatingsFrame
from scoring.grid.taxonomy import BODY_PARTS

KINDS: Final = ("cumulative_score", "overall_severity", "severity_all_images", "cells", "faces")

Level = Literal["nominal", "ordinal", "interval"]


class PairAlphas(NamedTuple):
    """Two annotators, the number of images they share, and alpha by `KINDS`; NaN if undefined."""

    first: str
    second: str
    images: int
    alphas: dict[str, float]


def pair_alphas(frame: RatingsFrame) -> list[PairAlphas]:
    """Return the pairs that share images, by name.

    Scores are compared at the interval level; bands at the ordinal one, cut at the median and the upper
    quartile of each annotator's scores of the shared images (as in the study) or of all images; marks of the
    25 cells, and of the five face cells that the authors' script keeps, at the nominal one.
    """
    rows = pd.Series(np.arange(len(frame)), index=frame.annotations["image"])
    by_person = {
        name: rows[(frame.annotations["annotator"] == name).to_numpy()] for name in frame.labels("annotator")
    }
    bands = np.zeros(len(frame))
    for own in by_person.values():
        bands[own.to_numpy()] = _bands(frame.scores[own.to_numpy()])
    faces = frame.cells[:, len(BODY_PARTS) - 1 :: len(BODY_PARTS)]
    found = []
    for a, b in combinations(by_person, 2):
        shared = by_person[a].index.intersection(by_person[b].index)
        if not len(shared):
            continue
        places = np.stack([by_person[name].loc[shared].to_numpy() for name in (a, b)])
        scores = frame.scores[places]
        data: tuple[tuple[npt.NDArray[Any], Level], ...] = (
            (scores, "interval"),
            (np.stack([_bands(row) for row in scores]), "ordinal"),
            (bands[places], "ordinal"),
            (frame.cells[places].reshape(2, -1), "nominal"),
            (faces[places].reshape(2, -1), "nominal"),
        )
        alphas = {kind: _alpha(values, level) for kind, (values, level) in zip(KINDS, data, strict=True)}
        found.append(PairAlphas(a, b, len(shared), alphas))
    return found


def mean_alphas(frame: RatingsFrame) -> dict[str, float | None]:
    """Return `alpha.KIND`, the mean over the pairs that have one, and the smallest and largest pair."""
    pairs = pair_alphas(frame)
    found: dict[str, float | None] = {}
    for kind in KINDS:
        known = [pair.alphas[kind] for pair in pairs if not np.isnan(pair.alphas[kind])]
        found[f"alpha.{kind}"] = float(np.mean(known)) if known else None
        found[f"alpha.least.{kind}"] = min(known, default=None)
    sizes = [pair.images for pair in pairs]
    return {**found, "fewest_shared": min(sizes, default=None), "most_shared": max(sizes, default=None)}


def _bands(scores: Floats) -> Floats:
    """Return 0 (at most the median), 1 (at most the upper quartile) or 2; quantiles of type 7."""
    return np.searchsorted(np.quantile(scores, [0.5, 0.75]), scores, side="left").astype(np.float64)


def _alpha(values: npt.NDArray[Any], level: Level) -> float:
    if len(np.unique(values)) < 2:
        return float("nan")
    return float(krippendorff.alpha(reliability_data=values.astype(np.float64), level_of_measurement=level))

"""The variables of alphas, and the sums over images from which they are computed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

import numpy as np

from analysis.stats.agreement.alpha import LevelOfMeasurement, alpha_from, alpha_of_coincidences
from analysis.stats.bands import BANDS
from analysis.stats.frames import Floats
from scoring.grid.taxonomy import CELLS

Variable = Literal[
    "cumulative_score",
    "overall_severity",
    "overall_severity_all_images",
    "cells",
    "cumulative_score_adjusted",
]
# The variables of the published study; the adjusted one is additional.
VARIABLES: Final[tuple[Variable, ...]] = (
    "cumulative_score",
    "overall_severity",
    "overall_severity_all_images",
    "cells",
)
ADJUSTED: Final[Variable] = "cumulative_score_adjusted"
COMPUTED: Final[tuple[Variable, ...]] = (*VARIABLES, ADJUSTED)
LEVELS: Final[dict[str, LevelOfMeasurement]] = {
    "cumulative_score": "interval",
    "overall_severity": "ordinal",
    "overall_severity_all_images": "ordinal",
    "cells": "nominal",
    "cumulative_score_adjusted": "interval",
}

# Columns of sums, one row per image: number of ratings; sum, squares and disagreement of the score; the same
# four of the adjusted score, which not every annotator has; coincidences of both kinds of band; marked cells
# and disagreeing ones.
N: Final = 0
SCORE: Final = slice(1, 4)
ADJUSTED_SCORE: Final = slice(4, 8)
BANDS_SHARED: Final = slice(8, 14)
BANDS_ALL: Final = slice(14, 20)
MARKED: Final = slice(20, 22)
COLUMNS: Final = 22
# The columns that count the ratings of each unit, of the variables that some annotators lack.
RATINGS: Final[Mapping[Variable, slice]] = {
    "overall_severity": slice(BANDS_SHARED.start, BANDS_SHARED.start + len(BANDS)),
    "overall_severity_all_images": slice(BANDS_ALL.start, BANDS_ALL.start + len(BANDS)),
    ADJUSTED: slice(ADJUSTED_SCORE.start, ADJUSTED_SCORE.start + 1),
}


def alphas(totals: Floats) -> Floats:
    """Return (…, 5): the alphas of `COMPUTED` from (…, COLUMNS) totals over images; NaN if undefined."""
    n = totals[..., N]
    return np.stack(
        [
            interval(n, totals[..., SCORE]),
            alpha_of_coincidences(totals[..., BANDS_SHARED], len(BANDS), "ordinal"),
            alpha_of_coincidences(totals[..., BANDS_ALL], len(BANDS), "ordinal"),
            binary(n * len(CELLS), totals[..., MARKED]),
            alpha_from(totals[..., ADJUSTED_SCORE]),
        ],
        axis=-1,
    )


def interval(n: Floats, sums: Floats) -> Floats:
    """Return (…,): alpha from the number of ratings and (…, 3) sums, squares and disagreement."""
    return alpha_from(np.concatenate([n[..., None], sums], axis=-1))


def binary(n: Floats, marked: Floats) -> Floats:
    """Return (…,): nominal alpha of yes/no ratings from their number and (…, 2) marked ones and disagreement.

    With two levels, the nominal and the squared difference are both 0 or 1, so the closed form for interval
    data gives nominal alpha.
    """
    ones, disagreement = marked[..., 0], marked[..., 1]
    return alpha_from(np.stack([n, ones, ones, disagreement], axis=-1))

"""What the numbers of a report were made with, for whoever repeats or cites them."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any, Final

from analysis.stats.estimates import CONFIDENCE
from analysis.stats.frames import RatingsFrame
from analysis.stats.judgements import FEWEST_FOR_LENIENCY
from analysis.stats.resampling import BLOCKS, BOOTSTRAP, BOOTSTRAP_FROM, FEWEST, JACKKNIFE, REPLICATES, SEED
from scoring.anatomy.taxonomy import SEVERITIES

Settings = dict[str, Any]

LIBRARIES: Final = ("numpy", "scipy", "pandas", "krippendorff")
POPULATIONS: Final = {
    "cumulative_score": "all images judged by at least two annotators",
    "overall_severity": (
        "bands low, medium, high cut at the median and the upper quartile of each annotator's scores: in a "
        "pair over the images the two share, pooled over the annotator's images that somebody else judged "
        "too; bands are held while images are resampled"
    ),
    "overall_severity_all_images": "the same bands, cut over all images of the annotator",
    "cells": "25 cells of each image judged by at least two annotators, marked or not",
    "cumulative_score_adjusted": (
        "each annotator's scores minus their mean, over their standard deviation, both over all of their "
        f"images; annotators with fewer than {FEWEST_FOR_LENIENCY} scores or without spread left out"
    ),
}


def settings(frame: RatingsFrame) -> Settings:
    """Choices, populations, weights and versions, as plain values."""
    return {
        "seed": SEED,
        "replicates": REPLICATES,
        "confidence": CONFIDENCE,
        "fewest_images": FEWEST,
        "intervals": {
            "small": f"{JACKKNIFE}, Student's t, fewer than {BOOTSTRAP_FROM} images",
            "large": f"{BOOTSTRAP} (Hesterberg 2015), from {BOOTSTRAP_FROM} images",
            "blocks": f"more than {BLOCKS} images: dealt at random into {BLOCKS} blocks, which are resampled",
        },
        "populations": POPULATIONS,
        "weights": dict(zip(SEVERITIES, frame.weights.tolist(), strict=True)),
        "versions": {name: version(name) for name in LIBRARIES},
    }

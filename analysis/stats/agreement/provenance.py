"""How the numbers of a report were computed, for repeating or citing them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from typing import Any, Final

from analysis.stats.agreement.point_estimates import CLOSED_FORM, LIBRARY, MOST_ENTRIES, MOST_ENTRIES_OF_PAIRS
from analysis.stats.agreement.values import FEWEST_FOR_LENIENCY
from analysis.stats.bands import FEWEST_FOR_BANDS
from analysis.stats.bootstrap_intervals import (
    BLOCKS,
    BOOTSTRAP,
    BOOTSTRAP_FROM,
    FEWEST,
    JACKKNIFE,
    REPLICATES,
    SEED,
)
from analysis.stats.estimates import CONFIDENCE
from analysis.stats.frames import RatingsFrame
from scoring.grid.taxonomy import SEVERITIES

Settings = dict[str, Any]

LIBRARIES: Final = ("numpy", "scipy", "pandas")
POPULATIONS: Final = {
    "cumulative_score": "all images annotated by at least two annotators",
    "overall_severity": (
        "bands low, medium, high cut at the median and the upper quartile of each annotator's scores: in a "
        "pair over the images the two share, pooled over the annotator's images that somebody else annotated "
        f"too; annotators with fewer than {FEWEST_FOR_BANDS} such scores left out; bands are held while "
        "images are resampled"
    ),
    "overall_severity_all_images": "the same bands, cut over all images of the annotator",
    "cells": "25 cells of each image annotated by at least two annotators, marked or not",
    "cumulative_score_adjusted": (
        "each annotator's scores minus their mean, over their standard deviation, both over all of their "
        f"images; annotators with fewer than {FEWEST_FOR_LENIENCY} scores or without spread left out; "
        "where pooled, mean and standard deviation are estimated anew in every resample"
    ),
}


def with_point_estimates(settings: Settings, result: Mapping[str, Any]) -> Settings:
    """Return the settings with how many alphas each method computed.

    The library's version is included if it computed a number.
    """
    counts = Counter(_computed_by(result))
    versions = {LIBRARY: version(LIBRARY)} if counts[LIBRARY] else {}
    return {
        **settings,
        "point_estimates": {
            LIBRARY: counts[LIBRARY],
            "closed_form": counts[CLOSED_FORM],
            "most_entries": MOST_ENTRIES,
            "most_entries_of_pairs": MOST_ENTRIES_OF_PAIRS,
        },
        "versions": {**settings["versions"], **versions},
    }


def _computed_by(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        if value.get("computed_by"):
            yield value["computed_by"]
        for item in value.values():
            yield from _computed_by(item)
    elif isinstance(value, list):
        for item in value:
            yield from _computed_by(item)


def settings(frame: RatingsFrame) -> Settings:
    """Return choices, populations, weights and versions as plain values."""
    return {
        "seed": SEED,
        "replicates": REPLICATES,
        "confidence": CONFIDENCE,
        "fewest_images": FEWEST,
        "intervals": {
            "small": f"{JACKKNIFE}, Student's t, fewer than {BOOTSTRAP_FROM} images",
            "large": f"{BOOTSTRAP} (Efron 1987; Hesterberg 2015), from {BOOTSTRAP_FROM} images",
            "blocks": f"more than {BLOCKS} images: dealt at random into {BLOCKS} blocks, which are resampled",
        },
        "populations": POPULATIONS,
        "weights": dict(zip(SEVERITIES, frame.weights.tolist(), strict=True)),
        "versions": {name: version(name) for name in LIBRARIES},
    }

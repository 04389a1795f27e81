"""Agreement between annotators: by pair, as the mean over pairs, pooled, and where it is lost."""

from __future__ import annotations

import math
from typing import Any, Final, NotRequired, TypedDict

import numpy as np

from analysis.stats.agreement.coefficients import coefficients, weighted_kappa
from analysis.stats.agreement.disagreements import disagreements
from analysis.stats.agreement.grid_parts import by_piece
from analysis.stats.agreement.groups import Estimates, all_alphas, by_column, by_quarter
from analysis.stats.agreement.ladder import ladder
from analysis.stats.agreement.point_estimates import MOST_ENTRIES, MOST_ENTRIES_OF_PAIRS, point_alphas
from analysis.stats.agreement.provenance import Settings, settings, with_point_estimates
from analysis.stats.agreement.sample_size import planner
from analysis.stats.agreement.values import Units, Values, pair_rows, units_of, units_of_pair, values_of
from analysis.stats.agreement.variables import COMPUTED, LEVELS, VARIABLES, alphas
from analysis.stats.bands import severity_bands
from analysis.stats.estimates import AlphaEstimate
from analysis.stats.frames import Floats, Ints, RatingsFrame
from analysis.stats.pairs import SharedImages, shared_images
from analysis.stats.resampling import FEWEST
from analysis.stats.steps import Sections, Steps
from scoring.grid.taxonomy import CELLS

__all__ = ["VARIABLES", "AgreementJson", "agreement"]

COLUMNS: Final = ("generator", "prompt", "prompt_group", "batch")
PAIRS_LISTED: Final = 1500
SECTIONS: Final = 15


class AlphaJson(AlphaEstimate):
    """An alpha with its interval; `alpha`, `units` and `undefined` repeat it under older names."""

    alpha: float | None
    units: int
    level_of_measurement: str
    undefined: str | None


Alphas = dict[str, AlphaJson]
PairJson = dict[str, Any]
"""`annotators`, two names, `images`, how many they share, and an `AlphaJson` for each variable."""
Means = dict[str, float | None]


class AgreementJson(TypedDict):
    """The agreement report."""

    settings: Settings
    pairs: list[PairJson]
    pairs_left_out: int
    mean_of_pairs: Means
    pooled: Alphas
    by: dict[str, Any]
    ladder: dict[str, Any]
    coefficients: dict[str, Any]
    planner: dict[str, Any]
    disagreements: dict[str, Any]
    targeted: NotRequired[dict[str, int]]


def agreement(frame: RatingsFrame, steps: Steps | None = None) -> AgreementJson:
    """Return the agreement report as plain JSON values, unrounded.

    Lists every pair of annotators that shares an image (at most the `PAIRS_LISTED` with the most images), by
    name. Overall severity is banded within each annotator's scores over the pair's shared images (pooled:
    over the annotator's shared images); `overall_severity_all_images` within all of their images. Targeted
    annotations appear only in the list of disagreements. `steps` receives the progress between sections.
    """
    every, frame = frame, frame.at_random
    section = Sections(steps, SECTIONS)

    judged, shared = section(values_of(frame)), section(shared_images(frame))
    pooled, n_coders = section(_pooled(frame, judged))
    pairs, means = section(_pairs(frame, judged, shared, section))
    result: AgreementJson = {
        "settings": settings(frame),
        "pairs": pairs,
        "pairs_left_out": len(shared.names) - len(pairs),
        "mean_of_pairs": means,
        "pooled": section(_named(all_alphas(pooled.sums, point_alphas(pooled), n_coders), len(pooled.sums))),
        "by": {
            **{column: section(by_column(frame, judged, column)) for column in COLUMNS},
            **section(by_piece(frame, judged)),
            "quarter": section(by_quarter(frame, judged)),
        },
        "ladder": section(ladder(frame, shared)),
        "coefficients": section(coefficients(frame, judged, shared)),
        "planner": section(planner(pooled.sums)),
        "disagreements": section(disagreements(every, shared if every is frame else shared_images(every))),
        **every.told_targeted(),  # type: ignore[typeddict-item]
    }
    result["settings"] = with_point_estimates(result["settings"], result)
    return result


def _pooled(frame: RatingsFrame, judged: Values) -> tuple[Units, int]:
    rows = np.flatnonzero(judged.pairable)
    units = np.unique(frame.image_codes[rows], return_inverse=True)[1]
    return units_of(judged, rows, units), len(np.unique(judged.annotators[rows]))


def _pairs(
    frame: RatingsFrame, judged: Values, shared: SharedImages, section: Sections
) -> tuple[list[PairJson], Means]:
    bands = _shared_bands(shared, frame.scores)
    listed = set(np.argsort(-shared.sizes, kind="stable")[:PAIRS_LISTED].tolist())
    # Pairs of one size share their weightings, so sort by size.
    found: dict[int, PairJson] = {}
    totals, slices = np.zeros((len(shared.names), len(COMPUTED))), shared.slices
    most = min(MOST_ENTRIES, MOST_ENTRIES_OF_PAIRS // max(len(listed) * len(COMPUTED), 1))
    for done, place in enumerate(np.argsort(shared.sizes, kind="stable").tolist()):
        section.within(done, len(slices))
        where = slices[place]
        first, second = shared.first[where], shared.second[where]
        sums = pair_rows(judged, first, second, (bands[0][where], bands[1][where]))
        if place not in listed:
            totals[place] = alphas(sums.sum(axis=0)) if len(sums) >= FEWEST else np.nan
            continue
        points = point_alphas(units_of_pair(judged, first, second, sums), most=most)
        totals[place] = [points[name].value for name in COMPUTED]
        names = list(shared.names[place])
        alphas_of_pair = _named(all_alphas(sums, points, 2), len(sums))
        kappa = weighted_kappa(bands[0][where], bands[1][where])
        found[place] = {"annotators": names, "images": len(sums), **alphas_of_pair, "weighted_kappa": kappa}
    return [found[place] for place in sorted(found)], _means(totals)


def _means(totals: Floats) -> Means:
    """Return the unweighted means of the pairs' alphas; None without any."""
    values = [column[~np.isnan(column)].tolist() for column in totals.T]
    return {
        name: math.fsum(column) / len(column) if column else None
        for name, column in zip(COMPUTED, values, strict=True)
    }


def _shared_bands(shared: SharedImages, scores: Floats) -> tuple[Ints, Ints]:
    """Return the bands of both annotators of each pair, within the pair's shared images."""
    first, second = (severity_bands(scores[rows], shared.pair) for rows in (shared.first, shared.second))
    return first, second


def _named(estimates: Estimates, images: int) -> Alphas:
    """Return the estimates with the additional names from before intervals existed."""
    return {
        name: {
            **estimate,
            "alpha": estimate["value"],
            "units": images * len(CELLS) if name == "cells" else estimate["n_units"],
            "level_of_measurement": LEVELS[name],
            "undefined": estimate["refused"] if estimate["value"] is None else None,
        }
        for name, estimate in estimates.items()
    }

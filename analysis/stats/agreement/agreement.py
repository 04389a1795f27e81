"""Agreement between annotators: by pair, as the mean over pairs, pooled, and where it is lost."""

from __future__ import annotations

import math
from typing import Any, Final, NotRequired, TypedDict

import numpy as np

from analysis.stats.agreement.associations import weighted_kappa
from analysis.stats.agreement.coefficients import coefficients
from analysis.stats.agreement.disagreements import disagreements
from analysis.stats.agreement.grid_parts import by_piece
from analysis.stats.agreement.groups import (
    Estimates,
    all_alphas,
    by_column,
    by_quarter,
    with_cautions,
)
from analysis.stats.agreement.intervals_over_annotators import over_annotators
from analysis.stats.agreement.ladder import ladder
from analysis.stats.agreement.mean_of_pairs import MeanOfPairs
from analysis.stats.agreement.point_estimates import (
    MOST_ENTRIES,
    MOST_ENTRIES_OF_PAIRS,
    point_alphas,
)
from analysis.stats.agreement.pooled import pooled_alphas, pooled_units
from analysis.stats.agreement.provenance import Settings, settings, with_point_estimates
from analysis.stats.agreement.sample_size import images_needed
from analysis.stats.agreement.values import Values, pair_rows, units_of_pair, values_of
from analysis.stats.agreement.variables import COMPUTED, VARIABLES, Variable, alphas
from analysis.stats.bands import FEWEST_FOR_BANDS, severity_bands, too_few_scores
from analysis.stats.bootstrap_intervals import FEWEST
from analysis.stats.estimates import Estimate, refused
from analysis.stats.frames import Floats, Ints, RatingsFrame
from analysis.stats.pairs import SharedImages, shared_images
from analysis.stats.steps import Sections, Steps

__all__ = ["VARIABLES", "AgreementJson", "agreement"]

COLUMNS: Final = ("generator", "prompt", "prompt_group", "batch")
PAIRS_LISTED: Final = 1500
SECTIONS: Final = 16
# What the alphas of a pair already say of its kappa: there are many pairs.
SHARED: Final = ("n_units", "n_coders", "method")

PairJson = dict[str, Any]
"""`annotators`, two names, `images`, how many they share, and an `AlphaEstimate` for each variable."""
Means = dict[str, float | None]


class AgreementJson(TypedDict):
    """The agreement report."""

    settings: Settings
    pairs: list[PairJson]
    pairs_left_out: int
    mean_of_pairs: Means
    mean_of_pairs_estimates: dict[Variable, Estimate]
    pooled: Estimates
    adjusted_minus_raw: Estimate
    over_annotators: dict[Variable, Estimate]
    by: dict[str, Any]
    ladder: dict[str, Any]
    coefficients: dict[str, Any]
    images_needed: dict[str, Any]
    disagreements: dict[str, Any]
    targeted: NotRequired[dict[str, int]]
    drawn_unknown: NotRequired[dict[str, int]]


def agreement(frame: RatingsFrame, steps: Steps | None = None) -> AgreementJson:
    """Return the agreement report as plain JSON values, unrounded.

    Lists every pair of annotators that shares an image (at most the `PAIRS_LISTED` with the most images), by
    name. Overall severity is banded within each annotator's scores over the pair's shared images (pooled:
    over the annotator's shared images); `overall_severity_all_images` within all of their images; both need
    `FEWEST_FOR_BANDS` scores, but `mean_of_pairs` holds every pair, as in the published study.
    Targeted annotations appear only in the list of disagreements. `steps` receives the progress between
    sections.
    """
    every, frame = frame, frame.at_random
    section = Sections(steps, SECTIONS)

    judged, shared = section(values_of(frame)), section(shared_images(frame))
    pooled, n_coders = section(pooled_units(frame, judged))
    points = point_alphas(pooled)
    alphas_pooled, difference = section(pooled_alphas(frame, judged, shared, pooled, points, n_coders))
    pairs, means, of_pairs = section(_pairs(frame, judged, shared, section))
    result: AgreementJson = {
        "settings": settings(frame),
        "pairs": pairs,
        "pairs_left_out": len(shared.names) - len(pairs),
        "mean_of_pairs": means,
        "mean_of_pairs_estimates": of_pairs,
        "pooled": alphas_pooled,
        "adjusted_minus_raw": difference,
        "over_annotators": section(over_annotators(frame, judged, shared, pooled, points)),
        "by": {
            **{column: section(by_column(frame, judged, column)) for column in COLUMNS},
            **section(by_piece(frame, judged)),
            "quarter": section(by_quarter(frame, judged)),
        },
        "ladder": section(ladder(frame, shared)),
        "coefficients": section(coefficients(frame, judged, shared)),
        "images_needed": section(images_needed(pooled.sums)),
        "disagreements": section(disagreements(every, shared if every is frame else shared_images(every))),
        **every.drawn_counts(),  # type: ignore[typeddict-item]
    }
    result["settings"] = with_point_estimates(result["settings"], result)
    return result


def _pairs(
    frame: RatingsFrame, judged: Values, shared: SharedImages, section: Sections
) -> tuple[list[PairJson], Means, dict[Variable, Estimate]]:
    bands = _shared_bands(shared, frame.scores)
    listed = set(np.argsort(-shared.sizes, kind="stable")[:PAIRS_LISTED].tolist())
    # Pairs of one size share their weightings, so sort by size.
    found: dict[int, PairJson] = {}
    totals, slices = np.zeros((len(shared.names), len(COMPUTED))), shared.slices
    mean = MeanOfPairs(int(frame.image_codes.max(initial=-1)) + 1)
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
        if len(sums) >= FEWEST:
            mean.add(frame.image_codes[first], sums, totals[place])
        names = list(shared.names[place])
        few = _with_bands(all_alphas(sums, points, 2), judged.all_sizes[[*first, *second]])
        kappa = weighted_kappa(bands[0][where], bands[1][where])
        found[place] = {
            "annotators": names,
            "images": len(sums),
            **few,
            "weighted_kappa": kappa["value"],
            "weighted_kappa_estimate": {key: value for key, value in kappa.items() if key not in SHARED},
        }
    means = _means(totals)
    n_coders = len({name for pair in shared.names for name in pair})
    of_means = mean.estimates(means, n_coders, complete=len(listed) == len(slices))
    return [found[place] for place in sorted(found)], means, of_means


def _with_bands(found: Estimates, sizes: Ints) -> Estimates:
    """Return a pair's alphas, severity as published but without interval where few images are shared.

    Bands cut from so few scores depend on each of them, so the value is marked with the number of images.

    `sizes` are how many scores the bands over all images are cut from.
    """
    shared = found["cumulative_score"]["n_units"]
    if FEWEST <= shared < FEWEST_FOR_BANDS:
        severity = found["overall_severity"]
        marked = refused(
            f"{shared} images: {too_few_scores(shared)}",
            value=severity["value"],
            n_units=shared,
            n_coders=severity["n_coders"],
            method=severity["method"],
        )
        found = {**found, "overall_severity": {**marked, "computed_by": severity["computed_by"]}}
    return with_cautions(found, np.array([shared]), sizes)


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

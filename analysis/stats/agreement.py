"""Agreement between annotators: by pair, as the mean over pairs, and pooled over all coders."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final, Literal, TypedDict

import numpy as np

from analysis.stats.alpha import (
    ALL_EQUAL,
    TOO_FEW_IMAGES,
    Alpha,
    AlphaJson,
    alpha_from,
    binary_alpha,
    counted_alpha,
    interval_alpha,
)
from analysis.stats.bands import BANDS, severity_bands
from analysis.stats.frames import Bools, Floats, Ints, RatingsFrame
from analysis.stats.pairs import SharedImages, binary_totals, interval_totals, shared_images

Variable = Literal["cumulative_score", "overall_severity", "overall_severity_all_images", "cells"]
VARIABLES: Final[tuple[Variable, ...]] = (
    "cumulative_score",
    "overall_severity",
    "overall_severity_all_images",
    "cells",
)


class PooledJson(TypedDict):
    """Alphas over all annotators at once."""

    cumulative_score: AlphaJson
    overall_severity: AlphaJson
    overall_severity_all_images: AlphaJson
    cells: AlphaJson


class PairJson(PooledJson):
    """Alphas of two annotators over the images they share."""

    annotators: list[str]
    images: int


class MeansJson(TypedDict):
    """Plain means of the pairs' alphas; None where no pair has one."""

    cumulative_score: float | None
    overall_severity: float | None
    overall_severity_all_images: float | None
    cells: float | None


class AgreementJson(TypedDict):
    """The agreement report."""

    pairs: list[PairJson]
    mean_of_pairs: MeansJson
    pooled: PooledJson


def agreement(frame: RatingsFrame) -> AgreementJson:
    """The agreement report: plain values that JSON can hold, nothing rounded.

    Lists every pair of annotators that shares an image, in the order of their names. Overall severity is
    banded within each annotator's scores over the pair's shared images (pooled: over the annotator's
    images that someone else judged too); `overall_severity_all_images` within all of their images.
    """
    shared = shared_images(frame)
    all_images = severity_bands(frame.scores, frame.codes("annotator"))
    scores = _interval_by_pair(shared, frame.scores)
    severity = _ordinal_by_pair(shared, *_shared_bands(shared, frame.scores))
    severity_all = _ordinal_by_pair(shared, all_images[shared.first], all_images[shared.second])
    cells = _binary_by_pair(shared, frame)
    pairs: list[PairJson] = [
        {
            "annotators": list(names),
            "images": int(size),
            "cumulative_score": scores[i].as_json(),
            "overall_severity": severity[i].as_json(),
            "overall_severity_all_images": severity_all[i].as_json(),
            "cells": cells[i].as_json(),
        }
        for i, (names, size) in enumerate(zip(shared.names, shared.sizes, strict=True))
    ]
    means: MeansJson = {
        "cumulative_score": _mean(scores),
        "overall_severity": _mean(severity),
        "overall_severity_all_images": _mean(severity_all),
        "cells": _mean(cells),
    }
    return {"pairs": pairs, "mean_of_pairs": means, "pooled": _pooled(frame, all_images)}


def _interval_by_pair(shared: SharedImages, values: Floats) -> list[Alpha]:
    totals = interval_totals(shared, values)
    return [
        _pair_alpha(int(size), float(value))
        for size, value in zip(shared.sizes, alpha_from(totals), strict=True)
    ]


def _pair_alpha(images: int, value: float) -> Alpha:
    if images < 2:
        return Alpha(None, images, "interval", TOO_FEW_IMAGES)
    if math.isnan(value):
        return Alpha(None, images, "interval", ALL_EQUAL)
    return Alpha(value, images, "interval")


def _shared_bands(shared: SharedImages, scores: Floats) -> tuple[Ints, Ints]:
    """Bands of both annotators of each pair, within the images which that pair shares."""
    first, second = (severity_bands(scores[rows], shared.pair) for rows in (shared.first, shared.second))
    return first, second


def _ordinal_by_pair(shared: SharedImages, first: Ints, second: Ints) -> list[Alpha]:
    eye = np.eye(len(BANDS), dtype=np.int64)
    counts = eye[first] + eye[second]
    return [counted_alpha(counts[where], "ordinal") for where in shared.slices]


def _binary_by_pair(shared: SharedImages, frame: RatingsFrame) -> list[Alpha]:
    totals, cells = binary_totals(shared, frame.cells), frame.cells.shape[1]
    return [binary_alpha(int(size), cells, row) for size, row in zip(shared.sizes, totals, strict=True)]


def _mean(alphas: Iterable[Alpha]) -> float | None:
    values = [alpha.alpha for alpha in alphas if alpha.alpha is not None]
    return math.fsum(values) / len(values) if values else None


def _pooled(frame: RatingsFrame, all_images: Ints) -> PooledJson:
    images = frame.image_codes
    pairable = np.bincount(images)[images] >= 2 if len(images) else np.zeros(0, dtype=np.bool_)
    codes, scores = images[pairable], frame.scores[pairable]
    annotators = frame.codes("annotator")[pairable]
    return {
        "cumulative_score": interval_alpha(scores, codes).as_json(),
        "overall_severity": _ordinal_pooled(codes, severity_bands(scores, annotators)).as_json(),
        "overall_severity_all_images": _ordinal_pooled(codes, all_images[pairable]).as_json(),
        "cells": _binary_pooled(codes, frame, pairable).as_json(),
    }


def _ordinal_pooled(images: Ints, bands: Ints) -> Alpha:
    units = np.unique(images, return_inverse=True)[1]
    flat = np.bincount(units * len(BANDS) + bands, minlength=len(BANDS) * (int(units.max(initial=-1)) + 1))
    return counted_alpha(flat.reshape(-1, len(BANDS)), "ordinal")


def _binary_pooled(images: Ints, frame: RatingsFrame, pairable: Bools) -> Alpha:
    """Units are cell x image: of n coders, c marked the cell, so the squares within are c(n-c)/n."""
    units = np.unique(images, return_inverse=True)[1]
    coders = np.bincount(units).astype(np.float64)
    marked = np.zeros((len(coders), frame.cells.shape[1]))
    np.add.at(marked, units, frame.cells[pairable])
    n = coders[:, None]
    disagreement = (2 * marked * (n - marked) / (n - 1)).sum()
    ones = marked.sum()
    totals = np.array([coders.sum() * marked.shape[1], ones, ones, disagreement])
    return binary_alpha(len(coders), marked.shape[1], totals)

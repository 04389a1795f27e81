"""The images with the largest disagreements, with the differing cells."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

import numpy as np

from analysis.stats.frames import Floats, Ints, RatingsFrame
from analysis.stats.pairs import SharedImages, described
from scoring.grid.taxonomy import CELLS, SEVERITIES

LISTED: Final = 200
# Scores are at most a few hundred, so floating-point differences are more accurate than this.
NEAR: Final = 1e-9
ORDER: Final = (
    "difference in cumulative score, largest first, then by the number of cells that only one of them "
    "marked. If more than two people annotated an image, the two who differ most are compared"
)


def disagreements(frame: RatingsFrame, shared: SharedImages) -> dict[str, Any]:
    """Return the `LISTED` images with the largest disagreement, one entry per image."""
    scores = frame.scores
    apart = np.abs(scores[shared.first] - scores[shared.second])
    images = frame.image_codes[shared.first]
    places, n_images = _near_the_top(apart, images)
    one_sided = (frame.cells[shared.first[places]] ^ frame.cells[shared.second[places]]).sum(axis=1).tolist()
    exact = [
        abs(frame.exact_score(a) - frame.exact_score(b))
        for a, b in zip(shared.first[places].tolist(), shared.second[places].tolist(), strict=True)
    ]
    order = sorted(
        range(len(places)), key=lambda k: (-exact[k], -one_sided[k], images[places[k]], int(places[k]))
    )
    # The first entry of an image in this order has its largest disagreement.
    first = {int(images[places[k]]): k for k in reversed(order)}
    chosen = [k for k in order if first[int(images[places[k]])] == k][:LISTED]
    entries = [
        _entry(frame, int(shared.first[places[k]]), int(shared.second[places[k]]), exact[k], one_sided[k])
        for k in chosen
    ]
    return {"order": ORDER, "images": n_images, "left_out": n_images - len(entries), "rows": entries}


def _near_the_top(apart: Floats, images: Ints) -> tuple[Ints, int]:
    """Return the positions of entries that may be listed, including ties, and the number of images."""
    if not len(apart):
        return np.zeros(0, dtype=np.int64), 0
    furthest = np.zeros(int(images.max()) + 1)
    np.maximum.at(furthest, images, apart)
    known = furthest[np.unique(images)]
    least = np.sort(known)[-min(LISTED, len(known))] - NEAR
    return np.flatnonzero(apart >= least), len(known)


def _entry(frame: RatingsFrame, first: int, second: int, apart: Fraction, one_sided: int) -> dict[str, Any]:
    a, b = _cells(frame, first), _cells(frame, second)
    return {
        **described(frame, first, second),
        "scores": frame.scores[[first, second]].tolist(),
        "difference": float(apart),
        "one_sided": one_sided,
        "cells": [
            {"cell": cell.key, "marks": [a.get(place, ""), b.get(place, "")]}
            for place, cell in enumerate(CELLS)
            if a.get(place) != b.get(place)
        ],
    }


def _cells(frame: RatingsFrame, row: int) -> dict[int, str]:
    """Return the marked cells of an annotation in sheet notation, marks in order of severity."""
    terms: dict[int, list[str]] = {}
    for cell, affected, total, severity in frame.marks.of(row):
        terms.setdefault(cell, []).append(f"{affected}/{total}{SEVERITIES[severity]}")
    return {cell: ",".join(found) for cell, found in terms.items()}

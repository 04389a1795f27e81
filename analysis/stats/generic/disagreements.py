"""The images with the largest disagreements, for any protocol."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from analysis.stats.frames import Floats, Ints
from analysis.stats.generic.values import ValuesFrame
from analysis.stats.pairs import SharedImages, described

LISTED: Final = 200
ONE_VALUE: Final = "difference in “{headline}”, largest first"
COMPONENTS: Final = "number of components that differ, largest first, then difference in “{headline}”"
TIES: Final = ". If more than two people annotated an image, the two who differ most are compared"


def largest_disagreements(frame: ValuesFrame, shared: SharedImages) -> dict[str, Any]:
    """Return the `LISTED` images with the largest disagreement, one entry per image.

    They are ordered by the number of differing components, then by the difference of the headline; a protocol
    without components has only the latter. Where only one has an optional headline, the difference is 0.
    """
    apart = np.nan_to_num(np.abs(frame.headline[shared.first] - frame.headline[shared.second]))
    differing = _differing(frame, shared)
    images = frame.image_codes[shared.first]
    order = np.lexsort((np.arange(len(images)), images, -apart, -differing))
    # The first entry of an image in this order has its largest disagreement.
    _, first = np.unique(images[order], return_index=True)
    chosen = order[np.sort(first)]
    words = COMPONENTS if frame.componentwise else ONE_VALUE
    return {
        "order": words.format(headline=frame.protocol.headline.title) + TIES,
        "images": len(chosen),
        "left_out": max(0, len(chosen) - LISTED),
        "rows": [
            _entry(frame, int(shared.first[k]), int(shared.second[k]), float(apart[k]), int(differing[k]))
            for k in chosen[:LISTED].tolist()
        ],
    }


def _differing(frame: ValuesFrame, shared: SharedImages) -> Ints:
    """Return (m,): in how many components the two annotators of each entry differ."""
    found = np.zeros(len(shared.first), dtype=np.int64)
    for variable in frame.componentwise:
        values: Floats = frame.values[variable.name]
        found += (values[shared.first] != values[shared.second]).sum(axis=1)
    return found


def _entry(frame: ValuesFrame, first: int, second: int, apart: float, differing: int) -> dict[str, Any]:
    cells = []
    for variable in frame.componentwise:
        a, b = frame.values[variable.name][[first, second]]
        cells += [
            {"cell": variable.components[place], "marks": [f"{a[place]:g}", f"{b[place]:g}"]}
            for place in np.flatnonzero(a != b).tolist()
        ]
    return {
        **described(frame, first, second),
        "scores": [None if np.isnan(value) else value for value in frame.headline[[first, second]].tolist()],
        "difference": apart,
        "one_sided": differing,
        "cells": cells,
    }

"""The images that annotators judged most differently, with what differs."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from analysis.stats.frames import Floats, Ints, RatingsFrame
from analysis.stats.pairs import SharedImages
from scoring.anatomy.taxonomy import CELLS, SEVERITIES

LISTED: Final = 200
DESCRIBED: Final = ("generator", "prompt", "prompt_group", "batch")
ORDER: Final = (
    "the difference of the two cumulative scores, largest first; where it is the same, the number of cells "
    "that only one of the two flagged; of an image with more than two annotators the two furthest apart"
)


def disagreements(frame: RatingsFrame, shared: SharedImages) -> dict[str, Any]:
    """The `LISTED` images on which two annotators are furthest apart, one entry an image."""
    scores = frame.scores
    apart = np.abs(scores[shared.first] - scores[shared.second])
    one_sided = (frame.cells[shared.first] ^ frame.cells[shared.second]).sum(axis=1)
    images = frame.image_codes[shared.first]
    chosen, n_images = _furthest(apart, one_sided, images)
    entries = [
        _entry(frame, int(shared.first[place]), int(shared.second[place]), int(one_sided[place]))
        for place in chosen.tolist()
    ]
    return {"order": ORDER, "images": n_images, "left_out": n_images - len(entries), "rows": entries}


def _furthest(apart: Floats, one_sided: Ints, images: Ints) -> tuple[Ints, int]:
    """Places of the entries to list, furthest first; equal ones in the order of their images."""
    order = np.lexsort((images, -one_sided, -apart))
    # The first time an image comes up in this order is its two annotators furthest apart.
    first = np.sort(np.unique(images[order], return_index=True)[1])
    return order[first[:LISTED]], len(first)


def _entry(frame: RatingsFrame, first: int, second: int, one_sided: int) -> dict[str, Any]:
    rows = frame.annotations.iloc[[first, second]]
    a, b = _cells(frame, first), _cells(frame, second)
    scores = rows["cumulative_score"].tolist()
    return {
        "image": int(rows["image"].iloc[0]),
        "number": int(rows["number"].iloc[0]),
        **{name: str(rows[name].iloc[0]) for name in DESCRIBED},
        "annotators": [str(name) for name in rows["annotator"]],
        "annotations": rows["annotation"].tolist(),
        "scores": scores,
        "difference": abs(scores[0] - scores[1]),
        "one_sided": one_sided,
        "cells": [
            {"cell": cell.key, "marks": [a.get(place, ""), b.get(place, "")]}
            for place, cell in enumerate(CELLS)
            if a.get(place) != b.get(place)
        ],
    }


def _cells(frame: RatingsFrame, row: int) -> dict[int, str]:
    """The marked cells of an annotation, in the sheet's notation; marks are in the order of severity."""
    marks = frame.marks
    # In the type of the rows, or a million of them are converted first.
    start, end = np.searchsorted(marks.row, np.array([row, row + 1], dtype=np.int32)).tolist()
    terms: dict[int, list[str]] = {}
    for place in range(start, end):
        term = f"{marks.affected[place]}/{marks.total[place]}{SEVERITIES[marks.severity[place]]}"
        terms.setdefault(int(marks.cell[place]), []).append(term)
    return {cell: ",".join(found) for cell, found in terms.items()}

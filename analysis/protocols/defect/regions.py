"""Regions as sorted runs of pixels, in arrays: quick enough for ten thousand images; and as pictures.

The same rules as `scoring.defect.masks`, which is exact and slower; the tests compare both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from io import BytesIO
from typing import Any, Final

import numpy as np
from PIL import Image as Picture

from analysis.stats.frames import Ints
from scoring.defect.masks import Mask

_BITS: Final = 5


def runs_of(text: str) -> Ints:
    """Return (r,): the runs of COCO's compressed text, which the rules have accepted."""
    codes = np.frombuffer(text.encode("ascii"), dtype=np.uint8).astype(np.int64) - 48
    ends = np.flatnonzero(codes < 32)
    starts = np.concatenate([[0], ends[:-1] + 1])
    within = np.arange(len(codes)) - np.repeat(starts, ends - starts + 1)
    values = np.add.reduceat((codes & 31) << (_BITS * within), starts)
    negative = (codes[ends] & 16) != 0
    values[negative] -= np.int64(1) << (_BITS * (ends - starts + 1))[negative]
    # From the fourth run on, a run is the difference to the run two before.
    values[1::2] = np.cumsum(values[1::2])
    values[2::2] = np.cumsum(values[2::2])
    return values


def region_of(payload: Mapping[str, Any]) -> Ints:
    """Return (k, 2): where the runs of the union of all masks begin and end, sorted; (0, 2) without any."""
    masks = (defect["mask"] for defect in payload.get("defects", ()))
    return _covered([_intervals(mask["counts"]) for mask in masks if mask], at_least=1)


def area_of(region: Ints) -> int:
    """Return the number of pixels of a region."""
    return int((region[:, 1] - region[:, 0]).sum())


def shared_area(one: Ints, other: Ints) -> int:
    """Return how many pixels two regions share."""
    return area_of(_covered([one, other], at_least=2))


def picture_of(region: Mask | None, height: int, width: int) -> bytes:
    """Return a region as PNG, white where it is; without a pixel if there is none."""
    columns = np.zeros(width * height, dtype=np.uint8)
    for start, end in region.scaled(height, width).intervals if region else ():
        columns[start:end] = 1
    rows = np.packbits(columns.reshape(width, height).T, axis=1)
    buffer = BytesIO()
    Picture.frombytes("1", (width, height), rows.tobytes()).save(buffer, "PNG")
    return buffer.getvalue()


def _intervals(text: str) -> Ints:
    ends = np.cumsum(runs_of(text))
    count = len(ends) // 2
    return np.stack([ends[0 : 2 * count : 2], ends[1 : 2 * count : 2]], axis=1)


def _covered(intervals: Iterable[Ints], at_least: int) -> Ints:
    """Return the places that so many of the sorted lists of intervals cover."""
    every = np.concatenate([np.zeros((0, 2), dtype=np.int64), *intervals])
    places = np.concatenate([every[:, 0], every[:, 1]])
    steps = np.repeat([1, -1], len(every))
    # Where one run ends and another begins, nothing is uncovered between.
    order = np.lexsort((-steps, places))
    depth = np.cumsum(steps[order])
    begins = (depth == at_least) & (steps[order] == 1)
    closes = (depth == at_least - 1) & (steps[order] == -1)
    return np.stack([places[order][begins], places[order][closes]], axis=1)

"""Write the mask of every planted error of the demo study: `python -m tools.planted_masks`.

The mask is where the pictures before and after the error differ by more than 12 grey levels, closed by a
square of 5 px, its holes filled. Row n of planted_masks.csv belongs to row n of truth.csv.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from typing import Any, Final
from unittest import mock

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from tools.demo_study import TARGET, plan_demo_study
from tools.painter import planting
from tools.painter.scenes import Scene, draw_scene

LEVELS: Final = 12
CLOSED: Final = 5
COLUMNS: Final = ("row", "file", "height", "width", "counts")
Mask = npt.NDArray[np.bool_]


def main() -> None:
    """Write planted_masks.csv beside truth.csv."""
    path = TARGET / "data" / "planted_masks.csv"
    files = [image.file for image in plan_demo_study() for _ in image.truth.errors]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        pairs = zip(files, _stages(), strict=True)
        for row, (name, (before, after)) in enumerate(pairs, start=1):
            mask = planted(before, after)
            writer.writerow((row, name, *mask.shape, text_of(mask)))


def planted(before: Scene, after: Scene) -> Mask:
    """Return the mask of the error that `after` has and `before` does not, (height, width)."""
    old, new = (np.asarray(draw_scene(scene).convert("L"), np.int16) for scene in (before, after))
    # Closing takes the outside as empty, so pixels at the border need room.
    apart = np.pad(np.abs(new - old) > LEVELS, CLOSED)
    closed = ndimage.binary_closing(apart, np.ones((CLOSED, CLOSED), np.bool_))
    filled: Mask = ndimage.binary_fill_holes(closed)[CLOSED:-CLOSED, CLOSED:-CLOSED]
    return filled


def text_of(mask: Mask) -> str:
    """Return the compressed run lengths of COCO: runs down the columns, beginning with zeros."""
    pixels = np.concatenate(([False], mask.ravel("F")))
    changes = np.flatnonzero(np.diff(pixels))
    runs = np.diff(np.concatenate(([0], changes, [mask.size]))).tolist()
    steps = [run - runs[place - 2] if place > 2 else run for place, run in enumerate(runs)]
    return "".join(map(_letters, steps))


def _letters(step: int) -> str:
    """Return a number in letters of five bits, lowest first; 32 means that more follow."""
    text = ""
    while True:
        bits, step = step & 31, step >> 5
        more = step != (-1 if bits & 16 else 0)
        text += chr(48 + bits + 32 * more)
        if not more:
            return text


def _stages() -> Iterator[tuple[Scene, Scene]]:
    """Yield the scenes before and after each error, in the order of truth.csv."""
    stages: list[tuple[Scene, Scene]] = []
    change = planting.changed

    def recorded(scene: Scene, *place: Any) -> Scene:
        stages.append((scene, change(scene, *place)))
        return stages[-1][1]

    with mock.patch.object(planting, "changed", recorded):
        plan_demo_study()
    yield from stages


if __name__ == "__main__":
    main()

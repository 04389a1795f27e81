"""The masks of the planted errors: one a row of truth.csv, where the drawing shows the error."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from functools import cache
from statistics import median
from typing import Final

import numpy as np
import numpy.typing as npt
from PIL import Image

from annotator.demo.projects import DATA

FAR: Final = 35
"""The farthest that a marked point lies from its mask in pixels: the middle of a foot with melted toes."""
Row = dict[str, str]


def rows_of(name: str) -> list[Row]:
    with (DATA / "data" / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def runs_of(text: str) -> Iterator[int]:
    """Yield the run lengths of a text: five bits a letter, 32 means more; from the fourth on, differences."""
    runs: list[int] = []
    value = shift = 0
    for letter in text:
        bits = ord(letter) - 48
        value |= (bits & 31) << shift
        shift += 5
        if not bits & 32:
            value -= (bits & 16) << (shift - 4)  # the highest bit is the sign
            runs.append(value + (runs[-2] if len(runs) > 2 else 0))
            yield runs[-1]
            value = shift = 0


@cache
def masks() -> tuple[npt.NDArray[np.bool_], ...]:
    """Return each mask, (height, width); raises ValueError unless its runs cover it exactly."""
    return tuple(map(mask_of, rows_of("planted_masks.csv")))


def mask_of(row: Row) -> npt.NDArray[np.bool_]:
    runs = list(runs_of(row["counts"]))
    pixels = np.repeat(np.arange(len(runs)) % 2 == 1, runs)
    return pixels.reshape(int(row["height"]), int(row["width"]), order="F")


def test_every_planted_error_has_its_mask() -> None:
    planted = [(str(place), row["file"]) for place, row in enumerate(rows_of("truth.csv"), start=1)]
    assert [(row["row"], row["file"]) for row in rows_of("planted_masks.csv")] == planted
    areas = [int(mask.sum()) for mask in masks()]
    assert (len(areas), min(areas), median(areas), max(areas)) == (115, 41, 2914, 34928)


def test_a_mask_has_the_size_of_its_image() -> None:
    for row, mask in zip(rows_of("planted_masks.csv"), masks(), strict=True):
        with Image.open(DATA / row["file"]) as image:
            assert mask.shape == (image.height, image.width)


def test_the_marked_point_of_an_error_lies_in_or_near_its_mask() -> None:
    for row, mask in zip(rows_of("truth.csv"), masks(), strict=True):
        x, y = float(row["x"]) * mask.shape[1], float(row["y"]) * mask.shape[0]
        down, across = np.nonzero(mask)
        assert np.hypot(across + 0.5 - x, down + 0.5 - y).min() < FAR, row

"""Masks against the texts of pycocotools, and against arrays."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from scoring.defect.masks import (
    Mask,
    MaskRefused,
    grid_of,
    iou,
    place_of,
    read_mask,
    rectangle,
    runs_of,
    shared_area,
    text_of,
    union,
)

VECTORS: list[dict[str, Any]] = json.loads((Path(__file__).parent / "rle-vectors.json").read_text())
BY_NAME = {vector["name"]: vector for vector in VECTORS}
NOWHERE = (0, 0, 0, 0)
Bits = np.ndarray[Any, np.dtype[np.uint8]]


def masked(bits: Bits) -> Mask:
    """Return the mask of an array of 0 and 1, made without the module under test."""
    flat = np.concatenate([[0], bits.flatten(order="F"), [0]]).astype(int)
    edges = np.flatnonzero(np.diff(flat)).tolist()
    cuts = [0, *edges, bits.size]
    runs = np.diff(cuts).tolist()
    if len(runs) > 1 and runs[-1] == 0:
        runs.pop()
    return Mask(bits.shape[0], bits.shape[1], tuple(runs))


def painted(mask: Mask) -> Bits:
    """Return a mask as an array."""
    values = np.arange(len(mask.runs)) % 2
    return np.repeat(values, mask.runs).astype(np.uint8).reshape(mask.height, mask.width, order="F")


def of_size(height: int, width: int) -> st.SearchStrategy[Bits]:
    return arrays(np.uint8, (height, width), elements=st.integers(0, 1))


sides = st.integers(1, 64)
bitmaps = st.tuples(sides, sides).flatmap(lambda size: of_size(*size))
pairs = st.tuples(sides, sides).flatmap(lambda size: st.tuples(of_size(*size), of_size(*size)))


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_texts_are_those_of_coco(vector: dict[str, Any]) -> None:
    mask = read_mask({"size": vector["size"], "counts": vector["text"]})
    assert mask.as_json() == {"size": vector["size"], "counts": vector["text"]}
    assert (mask.area, list(mask.box)) == (vector["area"], vector["box"])
    if "rows" in vector:
        assert painted(mask).tolist() == [[int(bit) for bit in row] for row in vector["rows"]]
        assert list(mask.runs) == vector["counts"]


def test_the_worked_masks_overlap() -> None:
    a, b = (read_mask({"size": [4, 5], "counts": BY_NAME[name]["text"]}) for name in ("A", "B"))
    assert union([a, b]).as_json()["counts"] == "5221O000"
    assert shared_area(a, b) == 4
    assert iou(a, b) == Fraction(4, 11)


def test_overlap_without_pixels_is_undefined_or_nothing() -> None:
    none, some = rectangle(4, 5, NOWHERE), rectangle(4, 5, (0, 0, 2, 2))
    assert iou(none, none) is None
    assert iou(none, some) == 0


@given(bitmaps)
def test_any_array_becomes_text_and_back(bits: Bits) -> None:
    mask = masked(bits)
    read = read_mask(mask.as_json())
    assert read == mask
    assert painted(read).tolist() == bits.tolist()
    rows, columns = np.nonzero(bits)
    assert mask.area == len(rows)
    if mask.area:
        left, top, width, height = mask.box
        assert (left, top) == (columns.min(), rows.min())
        assert (left + width, top + height) == (columns.max() + 1, rows.max() + 1)
        assert float(mask.centre[0]) == pytest.approx(columns.mean() + 0.5)
        assert float(mask.centre[1]) == pytest.approx(rows.mean() + 0.5)


@given(pairs)
def test_union_and_shared_area_are_those_of_arrays(both: tuple[Bits, Bits]) -> None:
    one, other = both
    assert union([masked(one), masked(other)]) == masked(one | other)
    assert shared_area(masked(one), masked(other)) == (one & other).sum()


@given(bitmaps, sides, sides)
def test_scaling_takes_the_pixel_under_the_centre(bits: Bits, height: int, width: int) -> None:
    rows = ((2 * np.arange(height) + 1) * bits.shape[0]) // (2 * height)
    columns = ((2 * np.arange(width) + 1) * bits.shape[1]) // (2 * width)
    assert masked(bits).scaled(height, width) == masked(bits[np.ix_(rows, columns)])


@given(sides, sides, st.tuples(*[st.integers(-9, 70)] * 4))
def test_rectangles_are_cut_to_the_grid(height: int, width: int, box: tuple[int, int, int, int]) -> None:
    left, top, across, down = box
    bits = np.zeros((height, width), dtype=np.uint8)
    bits[max(0, top) : max(0, top + down), max(0, left) : max(0, left + across)] = 1
    assert rectangle(height, width, box) == masked(bits)


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ({"size": [4, 5], "counts": "5220002"}, "cannot be read: its runs add up to 19, not to 20"),
        ({"size": [4, 5], "counts": [5, 0, 15]}, "cannot be read: a run is empty or negative"),
        ({"size": [4, 5], "counts": [20.0]}, "cannot be read: a run is no whole number"),
        ({"size": [4, 5], "counts": "5 2"}, "cannot be read: its text has a character that no mask has"),
        ({"size": [4, 5], "counts": "522000o"}, "cannot be read: its text is cut off"),
        ({"size": [4, 5], "counts": "o" * 9}, "cannot be read: a run of its text is too long"),
        ({"size": [4, 5], "counts": ""}, "cannot be read: counts is no text"),
        ({"size": [4, 5], "counts": "0" * 65_537}, "is too detailed: its text has 65537 characters"),
        ({"size": [4, 2049], "counts": "4"}, "cannot be read: a side has 1 to 2048 pixels"),
        ({"size": [0, 5], "counts": "4"}, "cannot be read: a side has 1 to 2048 pixels"),
        ({"size": 4, "counts": "4"}, "cannot be read: a side has 1 to 2048 pixels"),
        ({"counts": "4"}, "cannot be read: expected size and counts"),
    ],
)
def test_what_is_no_mask_is_refused(value: object, why: str) -> None:
    with pytest.raises(MaskRefused, match=f"^{why}"):
        read_mask(value)


def test_runs_far_apart_are_read() -> None:
    runs = [0, 4_194_303, 1]
    assert runs_of(text_of(runs)) == runs
    falling = [4_000_000, 1, 100_000, 94_303]
    assert runs_of(text_of(falling)) == falling


@pytest.mark.parametrize(
    ("image", "grid"),
    [
        ((1024, 768), (768, 1024)),
        ((4096, 4096), (2048, 2048)),
        ((4097, 3), (1, 2048)),
        ((5000, 5), (2, 2048)),
    ],
)
def test_large_images_have_a_grid_of_2048(image: tuple[int, int], grid: tuple[int, int]) -> None:
    assert grid_of(*image) == grid


@pytest.mark.parametrize(
    ("box", "place"), [((0, 0, 3, 3), "upper left"), ((4, 4, 1, 1), "centre"), ((8, 3, 1, 1), "centre right")]
)
def test_places_have_words(box: tuple[int, int, int, int], place: str) -> None:
    assert place_of(rectangle(9, 9, box)) == place


def test_no_pixels_lie_nowhere_and_sizes_must_be_one() -> None:
    assert place_of(rectangle(9, 9, NOWHERE)) == ""
    with pytest.raises(ValueError, match="expected masks of one size, not of 2"):
        union([rectangle(3, 4, NOWHERE), rectangle(4, 3, NOWHERE)])
    with pytest.raises(ValueError, match="expected masks of one size, not of 0"):
        union([])

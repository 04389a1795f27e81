"""Masks as run lengths, in the compressed text of COCO.

A mask is the lengths of its runs down the columns, from left to right, beginning with zeros. The text writes
each run with five bits a character; from the fourth run on it is the difference to the run two before.
Source: `maskApi.c` of the COCO API (Lin et al., 2014), whose texts the tests compare.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any, Final

LARGEST_SIDE: Final = 2048
"""The longest side of a stored mask; larger images are marked on a grid scaled down to it."""
LONGEST_TEXT: Final = 64 * 1024
_FIRST, _LAST = 48, 111
_BITS, _MORE, _SIGN = 5, 32, 16
_LONGEST_RUN: Final = 30
"""Bits: more than a difference of two runs of the largest grid can have."""

Interval = tuple[int, int]
"""A run of ones: where it begins and where it ends, as places x · height + y; the end is not part of it."""


class MaskRefused(ValueError):
    """A mask that cannot be read; the message says why."""


@dataclass(frozen=True)
class Mask:
    """A set of pixels of a grid of `height` rows and `width` columns.

    `runs` are whole numbers that add up to height · width; only the first may be 0.
    """

    height: int
    width: int
    runs: tuple[int, ...]

    @property
    def size(self) -> tuple[int, int]:
        """Height and width, in COCO's order."""
        return self.height, self.width

    @cached_property
    def area(self) -> int:
        """The number of pixels."""
        return sum(self.runs[1::2])

    @property
    def share(self) -> Fraction:
        """The marked share of the grid."""
        return Fraction(self.area, self.height * self.width)

    @property
    def intervals(self) -> list[Interval]:
        """The runs of ones in ascending order."""
        ends = list(accumulate(self.runs))
        return list(zip(ends[::2], ends[1::2], strict=False))

    @cached_property
    def box(self) -> tuple[int, int, int, int]:
        """Left, top, width and height of the smallest rectangle around the pixels; zeros for none."""
        if not self.area:
            return 0, 0, 0, 0
        columns = list(self.columns())
        left, right = columns[0][0], columns[-1][0]
        top, bottom = min(start for _, start, _ in columns), max(end for *_, end in columns)
        return left, top, right - left + 1, bottom - top

    @cached_property
    def centre(self) -> tuple[Fraction, Fraction]:
        """The centre of mass, x and y, in pixels. Raises ZeroDivisionError for an empty mask."""
        x = y = 0
        for column, start, end in self.columns():
            x += (end - start) * (2 * column + 1)
            y += end * end - start * start
        return Fraction(x, 2 * self.area), Fraction(y, 2 * self.area)

    def as_json(self) -> dict[str, Any]:
        """Return the mask as it is stored: its size, and its runs as text."""
        return {"size": [self.height, self.width], "counts": text_of(self.runs)}

    def scaled(self, height: int, width: int) -> Mask:
        """Return the mask on another grid by nearest neighbour: each pixel takes that under its centre."""
        if (height, width) == self.size:
            return self
        by_column: dict[int, list[Interval]] = {}
        for column, start, end in self.columns():
            rows = (_reached(start, height, self.height), _reached(end, height, self.height))
            by_column.setdefault(column, []).append(rows)
        made: list[Interval] = []
        for x in range(width):
            source = (2 * x + 1) * self.width // (2 * width)
            made += [(x * height + start, x * height + end) for start, end in by_column.get(source, ())]
        return _from_intervals(height, width, made)

    def columns(self) -> Iterator[tuple[int, int, int]]:
        """Yield column, first row and the row after the last, of every piece of a run within one column."""
        for start, end in self.intervals:
            while start < end:
                column, row = divmod(start, self.height)
                stop = min(end, (column + 1) * self.height)
                yield column, row, row + stop - start
                start = stop


def read_mask(value: object) -> Mask:
    """Return the mask of `{"size": [height, width], "counts": text or list of runs}`.

    Raises MaskRefused for anything else, for a side over 2,048 pixels, and for runs that do not fit.
    """
    if isinstance(value, list):
        raise MaskRefused("is a polygon. Polygons are not read. Export run-length masks")
    if not isinstance(value, dict) or set(value) != {"size", "counts"}:
        raise MaskRefused("cannot be read: expected size and counts")
    height, width = read_size(value["size"])
    counts = value["counts"]
    runs = counts if isinstance(counts, list) else runs_of(counts)
    if not all(type(run) is int for run in runs):
        raise MaskRefused("cannot be read: a run is no whole number")
    if sum(runs) != height * width:
        raise MaskRefused(f"cannot be read: its runs add up to {sum(runs)}, not to {height * width}")
    if any(run <= 0 for run in runs[1:]) or runs[0] < 0:
        raise MaskRefused("cannot be read: a run is empty or negative")
    return Mask(height, width, tuple(runs))


def read_size(value: object) -> tuple[int, int]:
    """Return height and width. Raises MaskRefused unless they are two whole numbers from 1 to 2,048."""
    sides = value if isinstance(value, list | tuple) and len(value) == 2 else ()
    if not sides or not all(type(side) is int and 1 <= side <= LARGEST_SIDE for side in sides):
        raise MaskRefused(f"cannot be read: a side has 1 to {LARGEST_SIDE} pixels")
    return sides[0], sides[1]


def grid_of(width: int, height: int) -> tuple[int, int]:
    """Return height and width of the grid on which an image is marked: its own, or scaled to 2,048."""
    longest = max(width, height, LARGEST_SIDE)
    # Halves are rounded up, as in the script.
    rows, columns = (max(1, (2 * side * LARGEST_SIDE + longest) // (2 * longest)) for side in (height, width))
    return rows, columns


def text_of(runs: Sequence[int]) -> str:
    """Return runs as COCO's text."""
    text = []
    for place, run in enumerate(runs):
        rest = run - runs[place - 2] if place > 2 else run
        more = True
        while more:
            bits = rest & 31
            rest >>= _BITS
            more = rest != -1 if bits & _SIGN else rest != 0
            text.append(chr(bits + (_MORE if more else 0) + _FIRST))
    return "".join(text)


def runs_of(text: object) -> list[int]:
    """Return the runs of COCO's text. Raises MaskRefused if it is none, or longer than 64 KB."""
    if not isinstance(text, str) or not text:
        raise MaskRefused("cannot be read: counts is no text")
    if len(text) > LONGEST_TEXT:
        raise MaskRefused(f"is too detailed: its text has {len(text)} characters, at most {LONGEST_TEXT} fit")
    runs: list[int] = []
    value = shift = 0
    for character in text:
        bits = ord(character) - _FIRST
        if not 0 <= bits <= _LAST - _FIRST:
            raise MaskRefused("cannot be read: its text has a character that no mask has")
        value |= (bits & 31) << shift
        shift += _BITS
        if bits & _MORE:
            if shift >= _LONGEST_RUN:
                raise MaskRefused("cannot be read: a run of its text is too long")
            continue
        if bits & _SIGN:
            value -= 1 << shift
        runs.append(value + (runs[-2] if len(runs) > 2 else 0))
        value = shift = 0
    if shift:
        raise MaskRefused("cannot be read: its text is cut off")
    return runs


def union(masks: Iterable[Mask]) -> Mask:
    """Return the pixels that any of the masks has. Raises ValueError for no masks and for two sizes."""
    return _covered(list(masks), at_least=1)


def intersection(one: Mask, other: Mask) -> Mask:
    """Return the pixels that both masks have. Raises ValueError for two sizes."""
    return _covered([one, other], at_least=2)


def _covered(masks: Sequence[Mask], at_least: int) -> Mask:
    """Return the pixels that so many of the masks have."""
    sizes = {mask.size for mask in masks}
    if len(sizes) != 1:
        raise ValueError(f"expected masks of one size, not of {len(sizes)}")
    steps = [step for mask in masks for start, end in mask.intervals for step in ((start, 1), (end, -1))]
    depth = begun = 0
    found: list[Interval] = []
    for place, step in sorted(steps):
        depth += step
        if step > 0 and depth == at_least:
            begun = place
        elif step < 0 and depth == at_least - 1:
            found.append((begun, place))
    return _from_intervals(*sizes.pop(), found)


def iou(one: Mask, other: Mask) -> Fraction | None:
    """Return the intersection over the union of two masks; None if both are empty."""
    both = intersection(one, other).area
    either = one.area + other.area - both
    return Fraction(both, either) if either else None


def rectangle(height: int, width: int, box: tuple[int, int, int, int]) -> Mask:
    """Return the mask of the part of a box (left, top, width, height) that lies on the grid."""
    left, top, across, down = box
    start, end = min(height, max(0, top)), min(height, max(0, top + down))
    columns = range(max(0, left), min(width, left + across))
    filled = [(x * height + start, x * height + end) for x in columns] if end > start else []
    return _from_intervals(height, width, filled)


def place_of(mask: Mask) -> str:
    """Return where the centre of mass lies, in words: one of nine parts of the image; empty for no pixels."""
    if not mask.area:
        return ""
    x, y = mask.centre
    row = ("upper", "centre", "lower")[int(3 * y / mask.height)]
    return " ".join(dict.fromkeys((row, ("left", "centre", "right")[int(3 * x / mask.width)])))


def _from_intervals(height: int, width: int, intervals: Iterable[Interval]) -> Mask:
    """Return the mask of intervals that do not overlap; where two touch, neither has an edge."""
    edges: set[int] = set()
    for interval in intervals:
        for place in interval:
            edges ^= {place}
    runs = [end - start for start, end in pairwise([0, *sorted(edges), height * width])]
    return Mask(height, width, tuple(runs if runs[-1] or len(runs) == 1 else runs[:-1]))


def _reached(row: int, target: int, source: int) -> int:
    """Return the first row of `target` rows whose centre lies at or below the top of a row of `source`."""
    return -((source - 2 * row * target) // (2 * source))

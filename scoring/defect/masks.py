"""Masks as run lengths, in the compressed text of COCO.

A mask is the lengths of its runs down the columns, from left to right, beginning with zeros. The text writes
each run with five bits a character; from the fourth run on it is the difference to the run two before.
Source: `maskApi.c` of the COCO API (Lin et al., 2014), whose texts the tests compare.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import accumulate, chain, pairwise
from typing import Any, Final

LARGEST_SIDE: Final = 2048
"""The longest side of a stored mask; larger images are marked on a grid scaled down to it."""
LONGEST_TEXT: Final = 64 * 1024
_FIRST, _BITS, _MORE, _SIGN = 48, 5, 32, 16
_NUMBER: Final = re.compile("[P-o]*[0-O]|[P-o]+")
_FOREIGN: Final = re.compile("[^0-o]")
_LONGEST_NUMBER: Final = 6
"""Characters: more than a difference of two runs of the largest grid can have."""


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
    def edges(self) -> list[int]:
        """Where the runs of ones begin and, one pixel further, end: in turn, as places x · height + y."""
        places = list(accumulate(self.runs))
        return places[: len(places) // 2 * 2]

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
        by_column: dict[int, list[tuple[int, int]]] = {}
        for column, start, end in self.columns():
            rows = (_reached(start, height, self.height), _reached(end, height, self.height))
            if rows[0] < rows[1]:
                by_column.setdefault(column, []).append(rows)
        sources = ((x * height, (2 * x + 1) * self.width // (2 * width)) for x in range(width))
        edges = [top + row for top, source in sources for rows in by_column.get(source, ()) for row in rows]
        return _joined(height, width, edges)

    def columns(self) -> Iterator[tuple[int, int, int]]:
        """Yield column, first row and the row after the last, of every piece of a run within one column."""
        edges = self.edges
        for start, end in zip(edges[::2], edges[1::2], strict=True):
            while start < end:
                column, row = divmod(start, self.height)
                stop = min(end, (column + 1) * self.height)
                yield column, row, row + stop - start
                start = stop


NOTHING: Final = Mask(1, 1, (1,))
"""A mask without pixels, where no grid is known."""


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
    is_list = isinstance(counts, list)
    runs = counts if is_list else runs_of(counts)
    if is_list and not all(type(run) is int for run in runs):
        raise MaskRefused("cannot be read: a run is no whole number")
    if sum(runs) != height * width:
        raise MaskRefused(f"cannot be read: its runs add up to {sum(runs)}, not to {height * width}")
    if runs[0] < 0 or min(runs[1:], default=1) <= 0:
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
    if _FOREIGN.search(text):
        raise MaskRefused("cannot be read: its text has a character that no mask has")
    numbers = _NUMBER.findall(text)
    if max(map(len, numbers)) > _LONGEST_NUMBER:
        raise MaskRefused("cannot be read: a run of its text is too long")
    if ord(text[-1]) - _FIRST & _MORE:
        raise MaskRefused("cannot be read: its text is cut off")
    runs = list(map(_number_of, numbers))
    for first in (1, 2):
        runs[first::2] = accumulate(runs[first::2])
    return runs


# Few numbers are frequent: ten thousand images are read in seconds.
@lru_cache(maxsize=4096)
def _number_of(text: str) -> int:
    bits = [ord(character) - _FIRST for character in text]
    value = sum((each & 31) << _BITS * place for place, each in enumerate(bits))
    return value - (1 << _BITS * len(bits)) if bits[-1] & _SIGN else value


def union(masks: Iterable[Mask]) -> Mask:
    """Return the pixels that any of the masks has. Raises ValueError for no masks and for two sizes."""
    given = list(masks)
    sizes = {mask.size for mask in given}
    if len(sizes) != 1:
        raise ValueError(f"expected masks of one size, not of {len(sizes)}")
    return _joined(*sizes.pop(), list(chain.from_iterable(mask.edges for mask in given)))


def shared_area(one: Mask, other: Mask) -> int:
    """Return how many pixels both masks have. Raises ValueError for two sizes."""
    return one.area + other.area - union([one, other]).area


def iou(one: Mask, other: Mask) -> Fraction | None:
    """Return the intersection over the union of two masks; None if both are empty."""
    both = shared_area(one, other)
    either = one.area + other.area - both
    return Fraction(both, either) if either else None


def rectangle(height: int, width: int, box: tuple[int, int, int, int]) -> Mask:
    """Return the mask of the part of a box (left, top, width, height) that lies on the grid."""
    left, top, across, down = box
    start, end = min(height, max(0, top)), min(height, max(0, top + down))
    columns = range(max(0, left), min(width, left + across) if end > start else 0)
    return _joined(height, width, [x * height + row for x in columns for row in (start, end)])


def place_of(mask: Mask) -> str:
    """Return where the centre of mass lies, in words: one of nine parts of the image; empty for no pixels."""
    if not mask.area:
        return ""
    x, y = mask.centre
    row = ("upper", "centre", "lower")[int(3 * y / mask.height)]
    return " ".join(dict.fromkeys((row, ("left", "centre", "right")[int(3 * x / mask.width)])))


def _joined(height: int, width: int, edges: Sequence[int]) -> Mask:
    """Return the mask of runs, which may overlap and touch, given where each begins and ends in turn."""
    starts, ends = sorted(edges[::2]), sorted(edges[1::2])
    # A gap lies where all that have begun end before the next begins.
    gaps = (gap for gap in zip(ends, starts[1:], strict=False) if gap[0] < gap[1])
    places = [0, *starts[:1], *chain.from_iterable(gaps), *ends[-1:], height * width]
    runs = [end - start for start, end in pairwise(places)]
    return Mask(height, width, tuple(runs if runs[-1] or len(runs) == 1 else runs[:-1]))


def _reached(row: int, target: int, source: int) -> int:
    """Return the first row of `target` rows whose centre lies at or below the top of a row of `source`."""
    return -((source - 2 * row * target) // (2 * source))

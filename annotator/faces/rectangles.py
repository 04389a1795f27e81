"""Rectangles around faces, in pixels of the upright original."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil, floor
from sys import float_info
from typing import Final, NamedTuple

from annotator.inputs.refusal import Refusal

MOST: Final = 50
"""Rectangles of one image."""
MARGIN: Final = 0.15
"""Share of width and height by which a rectangle grows on each side before it is blurred."""


class InvalidRectangle(Refusal, ValueError):
    """A rectangle that cannot be around a face of the image; the message says what was expected."""


class Rectangle(NamedTuple):
    """Upper left corner and size, in pixels of the upright original."""

    x: float
    y: float
    width: float
    height: float

    def enlarged(self, width: int, height: int) -> tuple[int, int, int, int]:
        """Return left, upper, right, lower in whole pixels: larger by MARGIN on each side, inside an image
        of this size.
        """
        across, down = self.width * MARGIN, self.height * MARGIN
        return (
            max(0, floor(self.x - across)),
            max(0, floor(self.y - down)),
            min(width, ceil(self.x + self.width + across)),
            min(height, ceil(self.y + self.height + down)),
        )

    def cut_to(self, width: int, height: int) -> Rectangle:
        """Return the part inside an image of this size, at least a pixel in size.

        Raises InvalidRectangle for one that lies wholly outside or is smaller than a pixel.
        """
        x, y, w, h = self
        is_finite = all(abs(value) <= float_info.max for value in self)
        if not is_finite or w < 1 or h < 1 or x >= width or y >= height or x + w <= 0 or y + h <= 0:
            check_rectangle(self, width, height)
        left, top = min(max(x, 0), width - 1), min(max(y, 0), height - 1)
        return Rectangle(left, top, _side(x, left, w, width), _side(y, top, h, height))


def _side(start: float, inner: float, length: float, most: int) -> float:
    """Return the length that is left of a side from `inner` on, at least 1 and inside the image."""
    # Unchanged where nothing is cut: a sum and a difference would round it.
    left = length if inner == start else start + length - inner
    return min(max(left, 1), most - inner)


def check_rectangle(found: Rectangle, width: int, height: int) -> None:
    """Raise InvalidRectangle unless the rectangle lies inside an image of this size."""
    # Also whole numbers of JSON that no float can hold.
    if not all(abs(value) <= float_info.max for value in found):
        raise InvalidRectangle("x, y, width and height must be numbers of pixels.", "not-a-number")
    x, y, w, h = found
    if w < 1 or h < 1:
        raise InvalidRectangle(
            f"The rectangle is {_number(w)} × {_number(h)} pixels; width and height must be at least 1.",
            "too-small",
        )
    if x < 0 or y < 0 or x + w > width or y + h > height:
        raise InvalidRectangle(
            f"The rectangle from ({_number(x)}, {_number(y)}) to ({_number(x + w)}, {_number(y + h)}) is not "
            f"inside the image, which is {width} × {height} pixels.",
            "outside",
        )


def checked(found: Iterable[Sequence[float]], width: int, height: int) -> list[list[float]]:
    """Return the rectangles as stored, in order and without duplicates; raises InvalidRectangle."""
    rectangles = sorted({Rectangle(*corners) for corners in found})
    if len(rectangles) > MOST:
        raise InvalidRectangle(
            f"{len(rectangles)} rectangles; an image has at most {MOST}. Draw one around several faces.",
            "too-many",
        )
    for rectangle in rectangles:
        check_rectangle(rectangle, width, height)
    return [
        [int(value) if value == int(value) else round(value, 2) for value in rectangle]
        for rectangle in rectangles
    ]


def _number(value: float) -> str:
    return f"{value:.10g}"

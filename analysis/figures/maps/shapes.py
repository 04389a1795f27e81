"""The drawn body: one outline for each body part, and places for dots in it.

Coordinates are those of a box 120 wide and 250 high, from the top left corner.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

WIDTH: Final = 120
HEIGHT: Final = 250

_HAND: Final = (
    "M14.9 125.6Q14.4 123.5 16.9 123.6L26.6 126Q29 127.1 27.5 128.8L25.8 139.7Q25.3 141.6 23.9 141.3"
    "L21.3 148.9Q19.7 150.5 19 148.3L20.1 141.4L17.4 150Q15.7 151.6 15 149.4L16.8 140.6"
    "L13.6 148Q12 149.1 11.5 147L13.6 137.7Q11.7 134.1 14.9 125.6Z"
)
_ARM: Final = "M35.3 63.5C27.1 81.9 23 98.3 16 122.3L28 125.7C35 101.7 38.9 86.1 46.7 68.5Z"
_LEG: Final = "M42.5 136C41.5 164.6 39.5 189.4 37.5 228L54.5 228C56.5 190.6 58.5 165.3 59.5 136Z"
_FOOT: Final = "M38.5 227L53.5 227L54 238Q53 243 46 243L34 243Q30 242 32 238L38.5 227Z"


def _moved(path: str, place: Mapping[str, float]) -> str:
    """Return a path with x times `by` plus `right` and y plus `down`, all divided by `unit`."""
    by, right, down, unit = (place[name] for name in ("by", "right", "down", "unit"))

    def pair(found: re.Match[str]) -> str:
        x, y = (float(found[1]) * by + right) / unit, (float(found[2]) + down) / unit
        return f"{round(x, 3):g} {round(y, 3):g}"

    return re.sub(r"([-\d.]+) ([-\d.]+)", pair, path)


def _both(path: str) -> str:
    """Return a left limb and its mirror image."""
    return path + _moved(path, {"by": -1, "right": WIDTH, "down": 0, "unit": 1})


# In the order in which they are painted: the torso covers where the limbs begin.
OUTLINES: Final[Mapping[str, str]] = {
    "limbs": _both(_LEG) + _both(_ARM),
    "hands": _both(_HAND),
    "feet": _both(_FOOT),
    "torso": (
        "M55 40L65 40L65 50Q72 53 82 55Q88 58 86 66L80 92Q78 108 80 136Q80 146 70 146L50 146Q40 146 40 136"
        "Q42 108 40 92L34 66Q32 58 38 55Q48 53 55 50Z"
    ),
    "face": "M60 8C72 8 77 16 76 27C75 39 67 45 60 45C53 45 45 39 44 27C43 16 48 8 60 8Z",
}
# Where a leader line ends.
ANCHORS: Final[Mapping[str, tuple[float, float]]] = {
    "torso": (62, 80),
    "limbs": (72, 185),
    "feet": (75, 236),
    "hands": (19.5, 134),
    "face": (60, 24),
}
# The start of the labels next to a large body, and the width of its box; the body is in the middle.
ASIDE: Final = 82
_RIGHT: Final = 216
_LEFT: Final = 2
WIDE: Final = 284


@dataclass(frozen=True)
class Label:
    """The place of a body part's label beside a large body, of two lines, and its leader line."""

    left: float
    top: float
    title: float
    value: float
    leader: str
    end: tuple[float, float]


# Lines around which dots are spread: x and y of both ends, and how far from the line.
_BONES: Final[Mapping[str, tuple[tuple[float, float, float, float, float], ...]]] = {
    "torso": ((60, 64, 60, 136, 16),),
    "limbs": (
        (49, 150, 46, 222, 6),
        (71, 150, 74, 222, 6),
        (36, 80, 24, 118, 4),
        (84, 80, 96, 118, 4),
    ),
    "feet": ((37, 240, 51, 231, 3), (83, 240, 69, 231, 3)),
    "hands": ((21, 128, 18, 143, 5), (99, 128, 102, 143, 5)),
    "face": ((60, 18, 60, 36, 11),),
}
# Steps of an additive sequence that fills a square evenly: powers of 1 / 1.3247…, the plastic number
# (M. Roberts, 2018).
_STEPS: Final = (0.7548776662466927, 0.5698402909980532)


def label(part: str) -> Label:
    """Return the position of a body part's label, in a box `WIDE` wide."""
    x, y = ANCHORS[part]
    x += ASIDE
    left = _LEFT if part == "hands" else _RIGHT
    near = left + 56 if part == "hands" else left - 4
    return Label(left, y - 13, y - 2, y + 10, f"M{x:g} {y:g}L{near:g} {y:g}", (x, y))


def symbol(part: str) -> str:
    """Return an outline as a Vega symbol: the height of the box is 2, its centre the origin."""
    half = HEIGHT / 2
    return _moved(OUTLINES[part], {"by": 1, "right": -WIDTH / 2, "down": -half, "unit": half})


def dots(part: str, count: int) -> Iterator[tuple[float, float]]:
    """Yield places inside a body part, evenly spread; the same ones for every figure."""
    bones = _BONES[part]
    lengths = [math.hypot(right - left, bottom - top) for left, top, right, bottom, _ in bones]
    for number in range(1, count + 1):
        along, aside = (number * step % 1 for step in _STEPS)
        rest, place = along * sum(lengths), 0
        while place < len(bones) - 1 and rest > lengths[place]:
            rest -= lengths[place]
            place += 1
        left, top, right, bottom, wide = bones[place]
        share, off = rest / lengths[place], (2 * aside - 1) * wide
        x, y = left + share * (right - left), top + share * (bottom - top)
        across = (bottom - top) / lengths[place], (left - right) / lengths[place]
        yield round(x + off * across[0], 1), round(y + off * across[1], 1)

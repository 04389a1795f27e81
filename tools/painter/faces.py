"""Where the faces of a scene are."""

from __future__ import annotations

from math import ceil, floor
from typing import Final

from tools.painter.scenes import Scene
from tools.painter.skeleton import joints

ACROSS: Final = 0.46
DOWN: Final = 0.52
"""Half the width and height of a head with its ears, in head heights."""
APART: Final = 0.3
"""How far each of two heads is from the middle, in head heights."""

Box = tuple[int, int, int, int]
"""x, y, width, height in pixels."""


def face_boxes(scene: Scene) -> list[Box]:
    """Return a rectangle around every head that lies in the picture, also around both of a doubled one."""
    found = []
    for figure in scene.figures:
        unit = figure.unit
        x, y = joints(figure).head
        size = unit * figure.head.size
        across, down = ACROSS * size + APART * unit * figure.head.doubled, DOWN * size
        left, upper = max(0, floor(x - across)), max(0, floor(y - down))
        right, lower = min(scene.size[0], ceil(x + across)), min(scene.size[1], ceil(y + down))
        if right > left and lower > upper:
            found.append((left, upper, right - left, lower - upper))
    return found

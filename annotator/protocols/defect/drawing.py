"""Masks drawn as paths: on an image, and in small beside what is said of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any, Final

from scoring.defect.masks import Mask

COLOURS: Final = 6
DRAWN_SIDE: Final = 768
"""Pixels of the longer side of masks drawn on an image."""
SMALL: Final = 256
"""The same of masks beside a stored annotation."""


def overlay_of(masks: Mapping[str, Mask], side: int = DRAWN_SIDE) -> dict[str, Any]:
    """Return masks by key for drawing on a grid of this longer side; empty without any.

    `box` is what the drawing shows, `letters` the size of its letters. Each of the `masks` has a path that
    fills it, its edge, and where its key stands.
    """
    if not masks:
        return {}
    height, width = next(iter(masks.values())).size
    scale = min(1.0, side / max(height, width))
    height, width = max(1, round(height * scale)), max(1, round(width * scale))
    letters = max(1, max(height, width) // 40)
    drawn = []
    for key, given in masks.items():
        mask = given.scaled(height, width)
        left, top, across, _ = mask.box
        # Two annotators mark one place: their keys stand side by side.
        beside = 0 if key.isdigit() else 2 * letters * (colour_of(key) - 1)
        x = min(max(left + across // 2 + beside, letters), width - letters)
        place = {"x": x, "y": max(top - letters // 3, letters)}
        shape = {"path": path_of(mask), "edge": edge_of(mask)}
        drawn.append({"key": key, "colour": colour_of(key), **shape, **place})
    return {"box": f"0 0 {width} {height}", "letters": letters, "masks": drawn}


def colour_of(key: str) -> int:
    """Return the place of a colour, from 1 to 6: by the number of a defect, or an annotator's letter."""
    number = int(key) if key.isdigit() else ord(key[0].upper()) - ord("A") + 1
    return (number - 1) % COLOURS + 1


def path_of(mask: Mask) -> str:
    """Return an SVG path that fills a mask: a bar of one pixel for each run in a column."""
    return "".join(f"M{x} {top}h1v{end - top}h-1z" for x, top, end in mask.columns())


def edge_of(mask: Mask) -> str:
    """Return an SVG path along the edge of a mask, between its pixels and the others."""
    by_column: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for x, top, end in mask.columns():
        by_column[x].append((top, end))
    lines = [f"M{x} {y}h1" for x, held in by_column.items() for piece in held for y in piece]
    for x in {at + step for at in by_column for step in (0, 1)}:
        # Where one of two columns begins or ends, the edge between them does.
        ends = sorted(y for side in (x - 1, x) for piece in by_column.get(side, ()) for y in piece)
        lines += [
            f"M{x} {start}V{stop}" for start, stop in zip(ends[::2], ends[1::2], strict=True) if stop > start
        ]
    return "".join(lines)

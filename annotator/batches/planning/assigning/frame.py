"""The design in whole numbers, by index, and counts with bounds and the penalty of changing one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from annotator.batches.planning.design import PlanImage


@dataclass(frozen=True)
class Frame:
    """Indexes sorted by name, so that the order of the caller's images is irrelevant."""

    images: tuple[PlanImage, ...]
    generators: tuple[str, ...]
    prompts: tuple[str, ...]
    cells: tuple[tuple[int, int], ...]
    """(generator, prompt) of each cell that has images."""
    members: tuple[tuple[int, ...], ...]
    """The images of each cell."""

    @property
    def strata(self) -> list[tuple[int, int]]:
        """(generator, prompt) of each image."""
        found = [(0, 0)] * len(self.images)
        for cell, images in zip(self.cells, self.members, strict=True):
            for image in images:
                found[image] = cell
        return found

    @property
    def sizes(self) -> list[int]:
        """Images per cell."""
        return [len(images) for images in self.members]


def frame_of(given: Iterable[PlanImage]) -> Frame:
    """Return the frame of these images."""
    images = tuple(sorted(given, key=lambda image: image.key))
    generators = tuple(sorted({image.generator for image in images}))
    prompts = tuple(sorted({image.prompt for image in images}))
    generator_at = {name: index for index, name in enumerate(generators)}
    prompt_at = {name: index for index, name in enumerate(prompts)}
    grouped: dict[tuple[int, int], list[int]] = {}
    for index, image in enumerate(images):
        grouped.setdefault((generator_at[image.generator], prompt_at[image.prompt]), []).append(index)
    cells = tuple(sorted(grouped))
    return Frame(images, generators, prompts, cells, tuple(tuple(grouped[cell]) for cell in cells))


Bounds = tuple[int, int]


class BoundedCounts:
    """Counts by an integer key; the penalty of one is its squared distance from its bounds, times a weight.

    `watched` are keys without a count that may be below their bounds from the start.
    """

    def __init__(self, bounds: Callable[[int], Bounds], watched: Iterable[int], weight: int = 1) -> None:
        self.values: dict[int, int] = {}
        self._weight = weight
        self._bounds = bounds
        self._watched: Iterable[int] = watched
        self._known: dict[int, Bounds] = {}
        self._outside: dict[int, None] = {}

    def bounds(self, key: int) -> Bounds:
        """Return the smallest and largest count without penalty."""
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._bounds(key)
        return found

    def step(self, key: int, change: int) -> int:
        """Change a count by 1 or -1 and return the change of the penalty."""
        before = self.values.get(key, 0)
        after = self.values[key] = before + change
        low, high = self._known.get(key) or self.bounds(key)
        if low <= before <= high and low <= after <= high:
            return 0
        if low <= after <= high:
            self._outside.pop(key, None)
        else:
            self._outside[key] = None
        return self._weight * (_penalty(after, low, high) - _penalty(before, low, high))

    def excess(self, key: int) -> int:
        """Return how far a count is above (positive) or below (negative) its bounds."""
        value = self.values.get(key, 0)
        low, high = self.bounds(key)
        return value - high if value > high else min(0, value - low)

    def wrong(self) -> list[int]:
        """Return the keys of counts outside their bounds, in order."""
        for key in self._watched:
            if self.excess(key):
                self._outside[key] = None
        self._watched = ()
        return sorted(self._outside)


def _penalty(value: int, low: int, high: int) -> int:
    if value < low:
        return (low - value) ** 2
    return (value - high) ** 2 if value > high else 0

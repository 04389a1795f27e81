"""The images of a design in whole numbers, by index."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from annotator.batches.planning.design import PlanImage


@dataclass(frozen=True)
class Frame:
    """Indexes sorted by name, so that the order of the caller's images is irrelevant."""

    images: tuple[PlanImage, ...]
    generators: dict[str, int]
    """The index of each name, in this order."""
    prompts: dict[str, int]
    strata: list[tuple[int, int]]
    """(generator, prompt) of each image."""

    @cached_property
    def _grouped(self) -> dict[tuple[int, int], list[int]]:
        grouped: dict[tuple[int, int], list[int]] = {}
        for image, cell in enumerate(self.strata):
            grouped.setdefault(cell, []).append(image)
        return grouped

    @cached_property
    def cells(self) -> list[tuple[int, int]]:
        """(generator, prompt) of each cell that has images."""
        return sorted(self._grouped)

    @cached_property
    def members(self) -> list[list[int]]:
        """The images of each cell."""
        return [self._grouped[cell] for cell in self.cells]

    @property
    def sizes(self) -> list[int]:
        """Images per cell."""
        return [len(images) for images in self.members]


def frame_of(given: Iterable[PlanImage]) -> Frame:
    """Return the frame of these images."""
    images = tuple(sorted(given, key=lambda image: image.key))
    generators = {name: at for at, name in enumerate(sorted({image.generator for image in images}))}
    prompts = {name: at for at, name in enumerate(sorted({image.prompt for image in images}))}
    strata = [(generators[image.generator], prompts[image.prompt]) for image in images]
    return Frame(images, generators, prompts, strata)

"""The design in whole numbers: images, annotators, generators, prompts and cells by index."""

from __future__ import annotations

from collections.abc import Iterable
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

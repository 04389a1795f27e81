"""The images of a generator's strip, from the stored result; one query."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from analysis.tables.table import rounded
from analysis.tables.wording import PLACES
from annotator.models import Image, Project


@dataclass(frozen=True)
class Shown:
    """One image of a strip with its score; None if it has been deleted. `key` names it for swapping.

    `swapped` if a lead has put its neighbour in rank here.
    """

    key: str
    image: Image | None
    score: str
    swapped: bool


def strips_of(
    project: Project, result: Mapping[str, Any], swapped: Collection[str], *, higher_is_better: bool
) -> dict[str, Sequence[Shown]]:
    """Return generator → images at equal steps of rank, best first.

    `swapped` holds keys of images to replace by the next: `2.4` is the fourth of the second generator.
    """
    chosen = {
        strip["generator"]: [
            (key, (step["next"] if key in swapped else None) or step, key in swapped)
            for number, step in enumerate(strip["images"], 1)
            for key in [f"{place}.{number}"]
        ][:: -1 if higher_is_better else 1]
        for place, strip in enumerate(result["strips"], 1)
    }
    ids = [step["image"] for strip in chosen.values() for _, step, _ in strip]
    images = Image.objects.filter(project=project).in_bulk(ids)
    return {
        generator: [
            Shown(key, images.get(step["image"]), rounded(step["score"], PLACES), done)
            for key, step, done in strip
        ]
        for generator, strip in chosen.items()
    }

"""The marked cells of an image as a grid so small that it fits on its thumbnail."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

from annotator.annotations.summary_values import BIT_OF, FIELD_OF, masks_of
from annotator.models import Adjudication
from scoring.grid.taxonomy import BODY_PARTS, CELLS, ERROR_TYPES

FIELDS: Final = ("marked", *FIELD_OF.values())
STEP: Final = 6
"""Units of the drawing from one cell to the next; a cell has 5."""


@dataclass(frozen=True)
class SmallCell:
    """A marked cell at (`x`, `y`); `severity` is the worst of its marks, empty without severities."""

    x: int
    y: int
    severity: str


def small_grid(marked: Mapping[str, Any]) -> list[SmallCell]:
    """Return the cells marked in a summary's `FIELDS`: rows are body parts, columns error types."""
    worst_first = list(FIELD_OF.values())[::-1]
    return [
        SmallCell(
            STEP * ERROR_TYPES.index(cell.error_type),
            STEP * BODY_PARTS.index(cell.body_part),
            next((name for name in worst_first if (marked[name] or 0) & BIT_OF[cell.key]), ""),
        )
        for cell in CELLS
        if (marked["marked"] or 0) & BIT_OF[cell.key]
    ]


def adjudicated_fields(images: Collection[int], protocol: str) -> dict[int, Mapping[str, int]]:
    """Return `FIELDS` of the adjudicated value of each of the images that has one; one query."""
    rows = Adjudication.objects.filter(
        image__in=images, protocol=protocol, status=Adjudication.Status.ADJUDICATED
    )
    return {image: masks_of([ratings]) for image, ratings in rows.values_list("image", "ratings")}

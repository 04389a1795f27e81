"""The marked cells of an image as a grid so small that it fits on its thumbnail."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from annotator.annotations.summary_values import BIT_OF, FIELD_OF, masks_of
from annotator.models import Adjudication
from scoring.grid.taxonomy import BODY_PARTS, CELLS, ERROR_TYPES

FIELDS: Final = ("marked", *FIELD_OF.values())
STEP: Final = 6
"""Units of the drawing from one cell to the next; a cell has 5."""


SmallCell = tuple[int, int, str]
"""Where a marked cell is, and the worst severity of its marks, empty without severities."""


def small_grid(marked: Mapping[str, Any]) -> list[SmallCell]:
    """Return the cells marked in a summary's `FIELDS`: rows are body parts, columns error types."""
    worst_first = list(FIELD_OF.values())[::-1]
    return [
        (
            STEP * ERROR_TYPES.index(cell.error_type),
            STEP * BODY_PARTS.index(cell.body_part),
            next((name for name in worst_first if (marked[name] or 0) & BIT_OF[cell.key]), ""),
        )
        for cell in CELLS
        if (marked["marked"] or 0) & BIT_OF[cell.key]
    ]


def small_grids(marked: Mapping[int, Mapping[str, Any]], protocol: str) -> dict[int, list[SmallCell]]:
    """Return the grid of each image, by its adjudicated value if it has one, else its summary; one query."""
    decided = [image for image, summary in marked.items() if summary["adjudicated"]]
    rows = Adjudication.objects.filter(image__in=decided, protocol=protocol).values_list("image", "ratings")
    values = {image: masks_of([ratings]) for image, ratings in rows}
    return {image: small_grid(values.get(image, summary)) for image, summary in marked.items()}

"""The headers of exported tables: published, as in the study's file, or tidy, such as `missing_torso`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from scoring.grid.taxonomy import CELLS

PUBLISHED: Final = "published"
TIDY: Final = "tidy"
HEADERS: Final = (PUBLISHED, TIDY)

TIDY_NAMES: Final[Mapping[str, str]] = {
    "Image Id": "image_id",
    "Model": "generator",
    "Prompt": "prompt",
    "Pic Num.": "number",
    "Annotator": "annotator",
    **{cell.heading: f"{cell.error_type}_{cell.body_part}" for cell in CELLS},
}


def tidy_name(heading: str) -> str:
    """Return the name of a column under the tidy header; most columns are tidy already."""
    return TIDY_NAMES.get(heading, heading)

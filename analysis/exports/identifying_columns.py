"""The start of a CSV line: the four columns that identify the image."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from analysis.exports.chunks import Fields
from analysis.exports.columns import csv_field, csv_fields
from analysis.exports.rows import IMAGE
from scoring.formula_guard import guarded

# With the Image Id, the arguments of `head`.
HEAD_FIELDS: Final[Fields] = (
    "assignment__image_id",
    f"{IMAGE}generator",
    f"{IMAGE}prompt",
    f"{IMAGE}number",
)


def head(image_id: str, generator: str, prompt: str, number: int | None) -> str:
    """Return Image Id, Model, Prompt and Pic Num. as part of a CSV line."""
    return f"{csv_field(guarded(image_id))},{_place(generator, prompt)},{'' if number is None else number}"


@lru_cache(maxsize=4096)
def _place(generator: str, prompt: str) -> str:
    return csv_fields([guarded(generator), guarded(prompt)])

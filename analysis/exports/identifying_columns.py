"""The start of a CSV line: the four columns that identify the image."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

from django.db.models import Case, When

from analysis.exports.chunks import SOURCE, Fields
from analysis.exports.columns import csv_field, csv_fields
from analysis.exports.rows import IMAGE, image_id, safe

# The arguments of `head`. File names are read only for images without a number, to save time.
HEAD_FIELDS: Final[Fields] = (
    f"{IMAGE}generator",
    f"{IMAGE}prompt",
    f"{IMAGE}number",
    Case(When(**{f"{IMAGE}number__isnull": True}, then=f"{IMAGE}source_name")),
    SOURCE,
)


def head(
    generator: str, prompt: str, number: int | None, file_name: str | None, source: dict[str, Any] | None
) -> str:
    """Return Image Id, Model, Prompt and Pic Num. as part of a CSV line."""
    before, after, place = _around(generator, prompt)
    if source is None and number is not None:
        digits = str(number) if number > 9 else f"0{number}"
        return f"{before}{digits}{after},{place},{number if number < 10 else digits}"
    named = image_id(source, generator, prompt, number, file_name)
    return f"{csv_field(safe(named))},{place},{'' if number is None else number}"


@lru_cache(maxsize=4096)
def _around(generator: str, prompt: str) -> tuple[str, str, str]:
    """Return the text before and after an id's number, and generator and prompt; digits need no quoting."""
    before, after = csv_field(safe(image_id(None, generator, prompt, 0, None))).rsplit("00", 1)
    return before, after, csv_fields([safe(generator), safe(prompt)])

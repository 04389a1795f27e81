"""The people of an image as annotators count them: one number for an image, and bands of numbers."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from statistics import median_high
from typing import Final

BANDS: Final[Mapping[str, tuple[int, int | None]]] = {
    "1": (1, 1),
    "2": (2, 2),
    "3–4": (3, 4),
    "5+": (5, None),
}
"""The least and the greatest number of people of each band; None: no limit."""


def people_of(counts: Collection[int]) -> int | None:
    """Return the median of the annotators' counts, the higher one in the middle; None without counts."""
    return median_high(counts) if counts else None


def band_of(people: int) -> str:
    """Return the band of a number of people. Raises StopIteration below 1, which no annotator can enter."""
    return next(band for band, (least, most) in BANDS.items() if least <= people <= (most or people))

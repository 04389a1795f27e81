"""The least numbers of images for statistics over images, and the reason where there are fewer.

See "Intervals" in docs/reference/statistics.md. Statistics with a rule of their own have their own number:
means over pairs of annotators, pins of the body map, bands of severity.
"""

from __future__ import annotations

from typing import Final

FEWEST: Final = 5
"""Images below which alpha, an intraclass correlation or a share has no number."""

BOOTSTRAP_FROM: Final = 7
"""Images from which the interval comes from resampling them.

Below, it comes from leaving out one image at a time, and a rank correlation has no number.
"""


def too_few(images: int, least: int = FEWEST) -> str:
    """Return the reason for no number with so few images."""
    return f"too few: {images} of {least} images"
